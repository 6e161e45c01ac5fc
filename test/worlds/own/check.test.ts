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
    'tasks', 'splits', 'start', 'repeatable', 'refusals', 'expert', 'distance', 'rewrites', 'sizes',
  ]) // prettier-ignore
  expect(found.filter(({ passed }) => !passed)).toEqual([])
})

it('a world that only gives what it must passes the checks of that', async () => {
  const found = await linesOf(await guestOf(worldOf()))
  expect(found.map(({ name }) => name)).toEqual(['tasks', 'splits', 'start', 'repeatable', 'refusals', 'sizes'])
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
  [
    'refusals',
    { step: `(state, command) => ({ state, text: command.split(' ')[5].trim() })` },
    '`step` of world.ts failed: TypeError',
  ],
  ['refusals', { outcome: `({ said }) => (said === 'xyzzy' ? 'won' : 'open')` }, '"xyzzy" wins at once'],
  ['expert', { expert: `() => 'stop'` }, 'does not win 40 of 40 tasks'],
  ['expert', { expert: `() => ['go']` }, '`expert` of world.ts is wrong'],
  ['distance', { expert: `({ number }) => String(number)`, distance: `() => 3` }, 'it should fall'],
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
