import { expect, it } from 'vitest'
import { loadEngine } from '../../../src/worlds/sandbox/engine-binary.ts'
import { Machine } from '../../../src/worlds/sandbox/machine.ts'

const MEMORY = 10 * 2 ** 20

it('a machine that keeps a script is restored to the state after it', async () => {
  const machine = await Machine.boot(await loadEngine())
  machine.restore(MEMORY)
  // Garbage of half the heap, so that what is kept lies between freed blocks.
  machine.evaluate(
    `var list = []; for (let i = 0; i < 20; i++) list.push('x'.repeat(2 ** 17) + i); list = list.slice(-2)`,
    'a.js',
  )
  machine.evaluate('var count = 0', 'a.js')
  machine.keep()
  for (let round = 0; round < 3; round++) {
    machine.restore(MEMORY)
    const value = machine.evaluate(
      `count += list.length; for (let i = 0; i < 9; i++) list.push('y'.repeat(2 ** 17)); String([count, list[1].length, list.length])`,
      'b.js',
    )
    expect(machine.text(value)).toBe('2,131074,11')
  }
  expect(machine.isSpent).toBe(false)
})
