import { describe, expect, it } from 'vitest'
import { OwnWorldError } from '../../../src/worlds/own/error.ts'
import { BOUNDS } from '../../../src/worlds/own/guest.ts'
import { ownFormats } from '../../../src/worlds/own/roles/plain-roles.ts'
import { policyResponse } from '../../../src/worlds/plain/roles.ts'
import { exampleModule, guestOf, worldOf } from './worlds.ts'

describe('a world in the sandbox', () => {
  it('plays the example from the first text to the open chest', async () => {
    const guest = await guestOf(exampleModule())
    expect(guest.name).toBe('Key and chest')
    let { state, text } = guest.reset(guest.task('train', 3))
    expect(text).toMatch(/You are at \d \d\. The key is [a-z ]+\.$/)
    const start = guest.distance(state)
    let steps = 0
    for (; guest.outcome(state) === 'open'; steps++) ({ state, text } = guest.step(state, guest.expert(state).command))
    expect([text, steps]).toEqual(['The chest is open.', start])
  })

  it('may be the object of a class', async () => {
    const source = `class World {
  name = 'Count'
  rules = 'Say go.'
  #said(at: number) { return 'At ' + at + '.' }
  task() { return { goal: 2 } }
  reset({ goal }) { return { state: { goal, at: 0 }, text: this.#said(0) } }
  step({ goal, at }) { return { state: { goal, at: at + 1 }, text: this.#said(at + 1) } }
  outcome({ goal, at }) { return at === goal ? 'won' : 'open' }
}
class Taught extends World { expert() { return 'go' } }
export default new Taught()`
    const guest = await guestOf(source)
    expect([...guest.parts]).toEqual(['name', 'rules', 'task', 'reset', 'step', 'outcome', 'expert'])
    const { state } = guest.reset(guest.task('train', 1))
    expect(guest.step(state, guest.expert(state).command)).toEqual({ state: { goal: 2, at: 1 }, text: 'At 1.' })
  })

  it('draws a task from split and seed alone', async () => {
    const guest = await guestOf(worldOf())
    const drawn = () => [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => guest.task('train', seed))
    expect(drawn()).toEqual(drawn())
    expect(new Set(drawn().map((task) => JSON.stringify(task))).size).toBeGreaterThan(1)
    expect(guest.task('id', 1)).not.toEqual(guest.task('train', 1))
  })

  it('keeps nothing from one call to the next, not even in prototypes', async () => {
    const guest = await guestOf(
      worldOf(
        {
          step: `(state) => { calls++; Array.prototype.mark = calls; return { state, text: calls + ' ' + [].mark + ' ' + Math.random() } }`,
        },
        'let calls = 0',
      ),
    )
    const first = guest.step({}, 'a')
    expect(first.text).toMatch(/^1 1 /)
    expect(guest.step({}, 'b')).toEqual(first)
  })

  it('has no network, storage, page, clock, timers or modules', async () => {
    const names = [
      'fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'Worker', 'indexedDB', 'caches', 'localStorage',
      'navigator', 'location', 'document', 'window', 'self', 'postMessage', 'process', 'require', 'Date', 'performance',
      'setTimeout', 'queueMicrotask', 'WebAssembly', 'SharedArrayBuffer', 'Deno', 'crypto',
    ] // prettier-ignore
    const seen = `${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== 'undefined')`
    const guest = await guestOf(worldOf({ reset: `() => ({ state: ${seen}, text: 'x' })` }))
    expect(guest.reset({}).state).toEqual([])
    const dynamic = await guestOf(
      worldOf({ reset: `() => { new Function("import('node:fs')")(); return { state: 1, text: 'x' } }` }),
    )
    expect(dynamic.reset({})).toEqual({ state: 1, text: 'x' })
  })

  it.each([
    ['name', null, '`name` is missing in world.ts. Add a text'],
    ['rules', null, '`rules` is missing'],
    ['task', null, '`task` is missing'],
    ['reset', null, '`reset` is missing in world.ts. Add a function: `reset(task) { return { state, text } }`'],
    ['step', null, '`step` is missing'],
    ['outcome', null, '`outcome` is missing'],
    ['outcome', `'won'`, '`outcome` in world.ts is a string, not a function'],
    ['name', `''`, '`name` of world.ts is wrong: it is empty'],
    ['name', `'x'.repeat(61)`, 'it is 61 characters long. It must be at most 60'],
    ['rewrite', `() => null`, '`rewrite` without `rewrites`'],
    ['stepp', `() => null`, 'a part `stepp`, which no world has'],
    [
      'rules',
      `(() => { throw new TypeError('nothing here') })()`,
      'loading it of world.ts failed: TypeError: nothing here (line 4)',
    ],
    ['rules', `(() => { for (;;); })()`, 'did not end within 2 seconds'],
    ['rules', `'x'.repeat(2 ** 29)`, '10 MB of memory'],
  ])('is refused with the part that is missing or wrong: %s = %s', async (name, value, why) => {
    const opening = guestOf(worldOf({ [name]: value }))
    await expect(opening).rejects.toThrow(OwnWorldError)
    await expect(opening).rejects.toThrow(why)
  })

  it.each([
    ['for (;;);', '`step` of world.ts did not end within 2 seconds and was stopped. Look for a loop'],
    ['"x".repeat(60).match(/(x+x+)+y/)', 'did not end within 2 seconds'],
    ['const f = () => f(); f()', 'called itself too deeply'],
    ['const a = []; for (;;) a.push(new Array(1e4).fill(1))', 'needed more than 10 MB of memory'],
    ['state.x.y', "failed: TypeError: cannot read property 'y' of undefined (line 7)"],
    ['throw null', 'failed: it threw null'],
    ['throw { get message() { for (;;); } }', 'it threw something that cannot be described'],
    [
      `return { state: 'x'.repeat(${BOUNDS.answer}), text: 'x' }`,
      'is too long: it may have at most 100,000 characters',
    ],
    [`return { state, text: 'x'.repeat(4001) }`, 'its `text` is 4,001 characters long. It must be at most 4,000'],
    [`return { state, text: 7 }`, 'its `text` is 7. It must be a text'],
    [`return { text: 'x' }`, '`state` is missing'],
    [`return null`, '`state` is missing'],
    [`return { state: new Map(), text: 'x' }`, 'an instance of Map, which plain data cannot contain'],
    [`return { state: NaN, text: 'x' }`, 'NaN, which plain data cannot contain'],
    [`return { state: () => 1, text: 'x' }`, 'a function, which plain data cannot contain'],
    [`const a = {}; a.a = a; return { state: a, text: 'x' }`, 'nested without end'],
    [`return Promise.resolve({ state, text: 'x' })`, 'returned a promise'],
    [`fetch('https://example.org')`, `ReferenceError: 'fetch' is not defined`],
    [`document.title = 'mine'`, `ReferenceError: 'document' is not defined`],
    [`localStorage.clear()`, `ReferenceError: 'localStorage' is not defined`],
  ])('ends a step that does %s', async (body, why) => {
    const guest = await guestOf(worldOf({ step: `(state, command) => { ${body} }` }))
    let reason: unknown
    try {
      guest.step({ number: 1, said: null }, 'x')
    } catch (error) {
      reason = error
    }
    expect(reason).toBeInstanceOf(OwnWorldError)
    expect((reason as Error).message).toContain(why)
    // The sandbox is as good as new.
    expect(guest.reset({ number: 5 }).text).toBe('Say 5.')
  })

  it('names the part whose answer has another form', async () => {
    const guest = await guestOf(
      worldOf({
        outcome: `() => 'draw'`,
        expert: `() => ({ thought: 1, command: 'x' })`,
        distance: `() => -1`,
        label: `() => 0`,
        rewrites: `() => 'one'`,
        rewrite: `() => null`,
        task: `() => null`,
      }),
    )
    expect(() => guest.outcome({})).toThrow(
      `\`outcome\` of world.ts is wrong: it returned "draw". It must be 'won', 'lost' or 'open'`,
    )
    expect(() => guest.expert({})).toThrow('a command, or { thought, command }')
    expect(() => guest.distance({})).toThrow('or null if the goal cannot be reached')
    expect(() => guest.label({}, 'x', {})).toThrow('1 or -1')
    expect(() => guest.rewrites({}, 'harder')).toThrow('a list of texts')
    expect(() => guest.task('train', 1)).toThrow('the task as plain data')
  })

  it('refuses a thought that a small model would end at its colon', async () => {
    const expertOf = async (thought: string) =>
      (await guestOf(worldOf({ expert: `() => ({ thought: '${thought}', command: 'go north: 2' })` }))).expert({})
    await expect(expertOf('goal: key')).rejects.toThrow('it returned a thought with a colon. It must be one without')
    const { thought, command } = await expertOf('to the key')
    const { policy } = ownFormats
    expect(policy.parse(policyResponse(thought, command))).toEqual({ thought: 'to the key', command: 'go north: 2' })
  })
})
