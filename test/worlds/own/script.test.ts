import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { OwnWorldError } from '../../../src/worlds/own/error.ts'
import { LONGEST_FILE, scriptOf } from '../../../src/worlds/own/script.ts'
import { EXAMPLE } from './worlds.ts'

/** The default export of a script. */
function evaluated(script: string): unknown {
  const host: { ownWorld?: unknown } = {}
  runInNewContext(script, host)
  return host.ownWorld
}

describe('a world’s script', () => {
  it('is the file without its types, line by line', () => {
    const source = `import type { OwnWorld } from './own-world.ts'
interface Kept { a?: number }
type Pair = [number, string]
const twice = <T,>(value: T, times?: number): T[] => [value!, value] as T[]
function first(pairs: readonly Pair[] = []): Pair | undefined {
  let found!: Pair
  for (const pair of pairs) found ??= pair satisfies Pair
  return found
}
export const other = new Map<string, number>([['a', 1]])
export default { first, twice, kept: other.get('a') as unknown as Kept } satisfies object
`
    const script = scriptOf(source, 'world.ts')
    expect(script.split('\n')).toHaveLength(source.split('\n').length)
    const world = evaluated(script) as { first(pairs: unknown): unknown; twice(value: unknown): unknown; kept: unknown }
    expect(world.first([[1, 'a'], [2, 'b']])).toEqual([1, 'a']) // prettier-ignore
    expect(world.twice(3)).toEqual([3, 3])
    expect(world.kept).toBe(1)
  })

  it('may ask for the target of `new`', () => {
    const source = `class Shape { constructor() { if (new.target === Shape) throw 'abstract' } }
class Square extends Shape {}
export default { make: () => new Square() instanceof Shape }`
    expect((evaluated(scriptOf(source, 'world.ts')) as { make(): boolean }).make()).toBe(true)
  })

  it('may wait in functions, as they are refused only where a part returns a promise', () => {
    const source = `const all = async (list) => { for await (const one of list) await one }
export default { later: { async go() { await all([]) } } }`
    expect(scriptOf(source, 'world.ts')).toContain('await all([])')
  })

  it('has the tokens that TypeScript itself gives for the example', () => {
    const source = readFileSync(EXAMPLE, 'utf8')
    const mine = scriptOf(source, 'world.ts')
      .replace(`'use strict';`, '')
      .replace('globalThis.ownWorld =', 'export default')
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, removeComments: true }
    const tidy = (text: string) => ts.transpileModule(text, { compilerOptions }).outputText.replace(/^;$/gm, '').trim()
    expect(tidy(mine).replace(/\n;\n/g, '\n')).toBe(tidy(source))
  })

  it.each([
    ["import { readFileSync } from 'node:fs'\nexport default {}", 'line 1: it imports', 'one file'],
    ["\nimport 'https://example.org/x.js'\nexport default {}", 'line 2: it imports', 'one file'],
    ["const fs = import('node:fs')\nexport default {}", 'line 1: it uses import()', 'one file'],
    ['const here = import.meta.url\nexport default {}', 'line 1: it uses import.meta', 'one file'],
    ['const a = 1\nawait a\nexport default {}', 'line 2: it uses await outside functions', 'Remove it'],
    ['for await (const a of []) a\nexport default {}', 'line 1: it uses await outside functions', 'Remove it'],
    ["export * from './other.ts'\nexport default {}", 'exports another file', 'one file'],
    ['const a = 1\nexport { a as default }', 'a list of names', 'export default {'],
    ['enum A { B }\nexport default {}', 'line 1: this part of TypeScript', 'plain JavaScript'],
    ['namespace A { export const b = 1 }\nexport default {}', 'this part of TypeScript', 'plain JavaScript'],
    ['const a = 1', 'no default export', 'End it with'],
    ['export default {', 'line 1: it cannot be read', 'world.ts'],
  ])('is refused with the reason: %s', (source, why, remedy) => {
    const read = () => scriptOf(source, 'world.ts')
    expect(read).toThrow(OwnWorldError)
    expect(read).toThrow(why)
    expect(read).toThrow(remedy)
  })

  it('is refused if the file is too long', () => {
    const read = () => scriptOf(`export default {}\n//${'x'.repeat(LONGEST_FILE)}`, 'world.ts')
    expect(read).toThrow('a world may have at most 200,000')
  })
})
