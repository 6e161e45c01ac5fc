import { expect, it } from 'vitest'
import { checkWorld, type CheckLine } from '../../../src/worlds/own/check.ts'
import type { OwnGuest } from '../../../src/worlds/own/guest.ts'
import { exampleModule, guestOf, worldOf } from './worlds.ts'

async function linesOf(guest: OwnGuest): Promise<CheckLine[]> {
  const found: CheckLine[] = []
  for await (const line of checkWorld(guest)) found.push(line)
  return found
}

it('the example passes every check', async () => {
  const found = await linesOf(await guestOf(exampleModule()))
  expect(found.map(({ name }) => name)).toEqual([
    'tasks', 'splits', 'start', 'repeatable', 'refusals', 'expert', 'distance', 'parts', 'rewrites', 'sizes',
  ]) // prettier-ignore
  expect(found.filter(({ passed }) => !passed)).toEqual([])
})

it('a world that only gives what it must passes the checks of that', async () => {
  const found = await linesOf(await guestOf(worldOf()))
  expect(found.map(({ name }) => name)).toEqual([
    'tasks',
    'splits',
    'start',
    'repeatable',
    'refusals',
    'parts',
    'sizes',
  ])
  expect(found.every(({ passed }) => passed)).toBe(true)
})

it.each([
  [
    'tasks',
    { task: `(split) => ({ number: Math.random(), split })` },
    'Needed are 10 of train, 2 of id, 2 of ood. Either there are too few, or `task` does not draw them from `random`',
  ],
  [
    'tasks',
    { task: `(split, random) => ({ number: split === 'train' ? random.integer(0, 99) : 100, split })` },
    'of train, 1 of id, 1 of ood differ. Needed are 2 of id, 2 of ood.',
  ],
  ['splits', { task: `(split, random) => ({ number: random.integer(0, 99) })` }, 'are also drawn for training'],
  ['start', { outcome: `() => 'won'` }, 'over before it begins'],
  ['start', { outcome: `({ number }) => (number >= 200 ? 'won' : 'open')` }, 'over before it begins: {"number":2'],
  [
    'start',
    { reset: `({ number }) => ({ state: [{ at: 0 }, { at: 0 }][Math.floor(number / 100)].at, text: 'Go.' })` },
    '`reset` of world.ts failed: TypeError',
  ],
  [
    'refusals',
    { step: `(state, command) => ({ state, text: command.split(' ')[5].trim() })` },
    '`step` of world.ts failed: TypeError',
  ],
  ['refusals', { outcome: `({ said }) => (said === 'xyzzy' ? 'won' : 'open')` }, '"xyzzy" wins at once'],
  ['expert', { expert: `() => 'stop'` }, 'does not win 45 of 45 tasks'],
  ['expert', { expert: `() => ['go']` }, '`expert` of world.ts is wrong'],
  [
    'expert',
    { expert: `({ number }) => String(number >= 200 ? 0 : number)` },
    'does not win 15 of 45 tasks within 20 commands, such as {"number":2',
  ],
  ['distance', { expert: `({ number }) => String(number)`, distance: `() => 3` }, 'it should fall'],
  ['parts', { kind: `() => undefined` }, '`kind` of world.ts returned undefined'],
  ['parts', { instruction: `(task) => task.name.trim()` }, '`instruction` of world.ts failed: TypeError'],
  ['parts', { describe: `() => 5` }, '`describe` of world.ts is wrong: it is 5'],
  ['parts', { label: `() => true` }, '`label` of world.ts is wrong: it returned true'],
  ['parts', { reason: `(before, command, after, label) => (label === 1 ? 'good' : 'not\\ngood')` }, 'several lines'],
  ['parts', { picture: `({ said }) => (said === null ? '.' : ['.'])` }, '`picture` of world.ts is wrong: it is ["."]'],
  [
    'rewrites',
    {
      rewrites: `() => ['more']`,
      rewrite: `({ number }, text) => (text === 'more' ? { number: number + 100 } : null)`,
    },
    'The change "more" turns the training task {"number":',
  ],
  ['rewrites', { rewrites: `() => ['same']`, rewrite: `(task) => task` }, '0 give another task'],
  [
    'rewrites',
    { rewrites: `() => ['more']`, rewrite: `({ number }) => ({ number: number + 1 })` },
    'it should return null',
  ],
] as const)('the check of %s fails for a world with %o', async (name, changed, why) => {
  for await (const line of checkWorld(await guestOf(worldOf(changed)))) {
    if (line.name !== name) continue
    expect(line).toMatchObject({ passed: false, detail: expect.stringContaining(why) as string })
    return
  }
  expect.unreachable('The check is missing.')
})

/** A world in which one may fall, which its expert never does. */
const pit = (changed: Record<string, string>) =>
  worldOf({
    rules: `'Commands: go, fall.'`,
    step: `(state, command) => ({ state: command === 'go' && !state.isDown ? { ...state, at: state.at + 1 } : command === 'fall' ? { ...state, isDown: true } : state, text: 'Yes.' })`,
    reset: `({ number }) => ({ state: { number, at: 0, isDown: false }, text: 'Go.' })`,
    outcome: `({ at }) => (at >= 3 ? 'won' : 'open')`,
    expert: `() => 'go'`,
    ...changed,
  })

it.each([
  [{ expert: `({ isDown }) => ['go'].find(() => !isDown)` }, '`expert` of world.ts returned undefined'],
  [{ distance: `({ isDown, at }) => (isDown ? Infinity : 3 - at)` }, '`distance` of world.ts returned Infinity'],
  [{}, null],
] as const)('the parts are asked off the way of the expert: %o', async (changed, why) => {
  const failed = (await linesOf(await guestOf(pit(changed)))).filter(({ passed }) => !passed)
  expect(failed).toEqual(
    why === null ? [] : [{ name: 'parts', passed: false, detail: expect.stringContaining(why) as string }],
  )
})
