import { expect, it } from 'vitest'
import { isSameProgram } from '../../../src/worlds/own/same-program.ts'
import { scriptOf } from '../../../src/worlds/own/script.ts'

const same = (one: string, other: string) => isSameProgram(scriptOf(one, 'world.ts'), scriptOf(other, 'world.ts'))

it.each([
  ['export default { a: 1 }', '// One.\nexport default {\n  /* It is: */ a: 1,\n};'],
  [
    'type A = number\nexport default { f: (x: A) => x }',
    'type Amount = number;\nexport default { f: (x: Amount): Amount => x }',
  ],
  ["export default { a: 'x', n: 1_000n }", 'export default { a: "x", n: 1000n }'],
  ['function f() { return 1 }\nexport default { f }', 'function f() { return (1); }\nexport default { f }'],
])('%j is the program %j', (one, other) => expect(same(one, other)).toBe(true))

it.each([
  ['export default { a: 1 }', 'export default { a: 2 }'],
  ['export default { a: 1 }', "export default { a: '1' }"],
  ['export default { a: 1 }', 'export default { a: 1n }'],
  ['export default { a: null }', 'export default { a: 1e999 }'],
  ['export default { a: 1, b: 2 }', 'export default { b: 2, a: 1 }'],
  ['export default { a: /x/ }', 'export default { a: /x/g }'],
  ['export default { a: String.raw`\\n` }', 'export default { a: String.raw`\n` }'],
  ['export default { f(x) { if (x); return 1 } }', 'export default { f(x) { if (x) return 1 } }'],
])('%j is not the program %j', (one, other) => expect(same(one, other)).toBe(false))

it('a script that cannot be parsed is no other program', () => {
  expect(isSameProgram('a b', 'a b')).toBe(false)
})
