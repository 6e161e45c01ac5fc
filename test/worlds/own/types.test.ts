import { runInNewContext } from 'node:vm'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { OwnWorldError } from '../../../src/worlds/own/error.ts'
import { scriptOf } from '../../../src/worlds/own/script.ts'

/** The default export as JSON, which is plain and of no realm. */
function evaluated(script: string): string {
  const host: { ownWorld?: unknown } = {}
  runInNewContext(script, host)
  return JSON.stringify(host.ownWorld)
}

/** What TypeScript itself makes of a file. */
function transpiled(source: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const { outputText, diagnostics } = ts.transpileModule(source, { compilerOptions, reportDiagnostics: true })
  expect(diagnostics).toEqual([])
  return outputText.replace('export default', 'globalThis.ownWorld =').replaceAll(/^export (?:\{\};)?/gm, '')
}

const BASE = 'class B { constructor() { this.b = 1 } f() { return 1 } }\n'

/** Each form, in code without semicolons, and its default export. */
const REMOVED: [form: string, source: string, value: unknown][] = [
  ['a field with `!`', 'class A { cells!: number[] }\nexport default Object.keys(new A())', ['cells']],
  ['a field with `?`', 'class A { x?: number; y? = 2; "z"?: 1; #p?: 1 }\nexport default Object.keys(new A())', ['x', 'y', 'z']],
  ['a computed field with a mark', "const k = 'a'\nclass A { [k]!: 1; ['b']? = 2 }\nexport default Object.keys(new A())", ['a', 'b']],
  ['a field `get` before a method', 'class A { get: 1\n f() { return 1 } }\nexport default new A().f()', 1],
  ['a field `static` with a mark before a field', 'class A { static?: 1\n f = 1 }\nexport default Object.keys(new A())', ['static', 'f']],
  ['a declared field', 'class A { x = 1\n declare y: 2\n ["z"] = 3 }\nexport default new A()', { x: 1, z: 3 }],
  ['private, protected and public', 'class A { private x = 1\n protected static y = 2\n public f() { return 3 } }\nexport default [new A(), A.y, new A().f()]', [{ x: 1 }, 2, 3]],
  ['readonly', 'class A { readonly x = 1\n static readonly y = 2\n private static readonly z?: number = 3 }\nexport default [new A(), A.y, A.z]', [{ x: 1 }, 2, 3]],
  ['members with names of modifiers', 'class A { readonly = 1; private(): number { return 2 } declare?: 3 = 3; abstract: 4 = 4; override = 5 }\nexport default [new A(), new A().private()]', [{ readonly: 1, declare: 3, abstract: 4, override: 5 }, 2]],
  ['a modifier before a computed field', "class A { x = 1\n private ['y'] = 2 }\nexport default new A()", { x: 1, y: 2 }],
  ['a modifier before a generator', 'class A { x = 2\n private *f() { yield this.x } }\nexport default [...new A().f()]', [2]],
  ['a modifier before an accessor', 'class A { private get x(): number { return 1 }\n protected set x(value: number) {} }\nexport default new A().x', 1],
  ['a modifier before a constructor', 'class A { x: number\n private constructor(x?: number) { this.x = x! }\n static of() { return new A(3) } }\nexport default A.of()', { x: 3 }],
  ['override', `${BASE}class A extends B { override f(): number { return super.f() + 1 } }\nexport default new A().f()`, 2],
  ['override async', `${BASE}class A extends B { public override async f(): Promise<void> {} }\nexport default new A()`, { b: 1 }],
  ['implements', 'interface I { x: number }\ninterface J<T> { y: T }\nclass A implements I, J<number> { x = 1; y = 2 }\nexport default new A()', { x: 1, y: 2 }],
  ['extends and implements, over lines', `${BASE}class A<T> extends (B)<T> // implements nothing\n  implements\n  /* implements */ Iterable<T>,\n  Object { }\nexport default new A<number>()`, { b: 1 }],
  ['implements of a class without a name', 'const A = class implements Object { x = 1 }\nexport default new A()', { x: 1 }],
  ['an index signature', 'class A { x = 1;\n [key: string]: unknown\n static [key: string]: unknown\n readonly [k: number]: 1 }\nexport default new A()', { x: 1 }],
  ['overloads of methods', 'class A { x = 1\n f(): void\n f(a?: number): void\n f(a?: number) { return a }\n constructor()\n constructor(a?: 1) {} }\nexport default new A().f(2)', 2],
  ['an optional method', 'class A { f?(): void\n g?<T>(a: T) { return a } }\nexport default new A().g!(1)', 1],
  ['an abstract class', 'abstract class A { abstract x: number\n abstract f(): void\n protected abstract get y(): number\n g() { return 1 } }\nclass C extends A { x = 2; f() {} get y() { return 3 } }\nexport default [new C().g(), new C(), new C().y]', [1, { x: 2 }, 3]],
  ['an exported abstract class', 'export abstract class A { }\nexport default A.name', 'A'],
  ['type parameters of classes', 'class A<in out T extends object = {}> { x!: T }\nclass C extends A<{ a: 1 }> { }\nexport default new C()', {}],
  ['a return type over lines', 'const f = (a: number): {\n  x: number\n} => ({ x: a })\nexport default f(1)', { x: 1 }],
  ['a return type over lines, after comments', 'const f = (a = (1), // )\n): /* ) */ {\n  x: number\n} | // )\nnull => ({ x: a })\nexport default f(1)', { x: 1 }],
  ['a return type over lines, without parameters', 'const f = ():\n  number => 1\nexport default f()', 1],
  ['a predicate over lines', "const f = (\n  a: unknown\n): a is\n  number => typeof a === 'number'\nexport default f(1)", true],
  ['type parameters over lines after return', 'function f() {\n  return <\n    T,\n  >(a: T): T => a\n}\nexport default f()(1)', 1],
  ['type parameters over lines after async', 'const f = async <\n  T,\n>(a: T): Promise<\n  T\n> => a\nexport default typeof f', 'function'],
  ['this as a parameter', 'function f(this: { x: number }, a: number) { return this.x + a }\nfunction g(this: void) { return 1 }\nexport default [f.call({ x: 1 }, 2), g()]', [3, 1]],
  ['this as a parameter, over lines', 'const o = { x: 1, f(\n  this: { x: number } /* , */,\n  a?: number,\n) { return [this.x, a] } }\nexport default o.f(2)', [1, 2]],
  ['optional parameters', 'const f = (a?: number, b /* ? */ ?: number, ...c: number[]) => [a, b, c]\nexport default f(1, 2, 3)', [1, 2, [3]]],
  ['types of patterns', 'const f = ({ a, b = 2 }: { a: 1; b?: 2 }, [c]: number[] = [3]) => [a, b, c]\nexport default f({ a: 1 })', [1, 2, 3]],
  ['declare', 'const a = [1]\ndeclare const q: number, r: string\n;[0].length\ndeclare let s: 1\ndeclare function f(): void\ndeclare class C { x: number; f(): void }\ndeclare enum E { A }\ndeclare namespace N { const a: 1 }\ndeclare global { interface Array<T> { x: 1 } }\nexport declare const t: number\nexport default a', [1]],
  ['a type before the start of an array', 'let a = [1]\ntype T = number\n[a[0]] = [2]\nexport default a', [2]],
  ['`as` before a bracket on the next line', 'let a = 1\nlet b = a as number\n[a] = [2]\nb = a satisfies number\n(a) = 3\nexport default [a, b]', [3, 2]],
  ['`as` in a field before a computed field', "class A { x = 1 as number\n ['y'] = 2 }\nexport default new A()", { x: 1, y: 2 }],
  ['`as` after parentheses', 'const a = (1 + 2) as number, b = (a) satisfies (number), c = (a)!\nexport default [a, b, c, [a] as const]', [3, 3, 3, [3]]],
  ['`as` in a target', 'let a = 1\n;(a as number) = 2\n;(a satisfies number)++\na! += 1\nexport default a', 4],
  ['a cast', 'let a = <number>1, b = <Array<number>>[<1>a], c = -<number>a\n;(<any>a) = 2\nexport default [a, b, c]', [2, [1], -1]],
  ['a cast of an object as the value of an arrow function', 'const f = () => <object>{ a: 1 }, g = () => <unknown><object>{ a: 2 }\nexport default [f(), g()]', [{ a: 1 }, { a: 2 }]],
  ['a cast over lines after return', 'function f() {\n  return <{\n    a: number\n  }>{ a: 1 }\n}\nexport default f()', { a: 1 }],
  ['a cast at the start of a statement', 'let n = 0; <void>function () { n = 1 }()\nexport default n', 1],
  ['type arguments', 'const m = new Map<string, Array<number>>([["a", [1]]]), i = Array<number>, t = String.raw<any>`b`\nexport default [m.get("a")?.map<number>((x) => x), new i(), t]', [[1], [], 'b']],
  ['`!` in chains', 'const o: { a?: { b: number[] } } = { a: { b: [1] } }\nlet q!: number\nq = o.a!.b![0]!\nexport default [q, o?.a!.b]', [1, [1]]],
  ['imports and exports of types', "import type A from './a.ts'\nimport { type B, type C } from './b.ts'\nimport type D = require('d')\nlet x = 1\nexport type { A }\nexport { type B }\nexport type * from './c.ts'\nexport interface I {}\nexport type T = I\nexport default x", 1],
  ['a default export of an interface or an overload', 'export default interface I {}\nexport default 1', 1],
  ['a namespace of types', 'namespace N { export type A = 1; interface B {} namespace M { type C = 1 } }\nexport default 1', 1],
  ['a type of an import', "const a: import('./a.ts').A = 1\nexport default a", 1],
  ['a type of the default export', 'export default (<object>{ a: 1 }) as { a: 1 }', { a: 1 }],
] // prettier-ignore

describe('the types of a world’s file', () => {
  it.each(REMOVED)('are removed: %s', (_, source, value) => {
    const script = scriptOf(source, 'world.ts')
    expect(script.split('\n')).toHaveLength(source.split('\n').length)
    expect(JSON.parse(evaluated(script))).toEqual(value)
    expect(evaluated(script)).toBe(evaluated(transpiled(source)))
  })

  it.each([
    ['a parameter property', 'class A { constructor(private x: number) {} }', 'a field that the constructor assigns'],
    ['a readonly parameter property', 'class A { constructor(readonly x = 1) {} }', 'a field that the constructor'],
    ['an enum', 'enum A { B }', 'an object instead of an enum'],
    ['a constant enum', 'export const enum A { B }', 'an object instead of an enum'],
    ['a namespace with values', 'namespace A { export const b = 1 }', 'an object instead of a namespace'],
    ['a namespace in a namespace', 'namespace A.B { export function f() {} }', 'an object instead of a namespace'],
    ['a decorator of a class', '@f class A {}', 'a call instead of a decorator'],
    ['a decorator of a member', 'class A { @f private x = 1 }', 'a call instead of a decorator'],
    ['a decorator of a parameter', 'class A { f(@g a: number) {} }', 'a call instead of a decorator'],
    ['import =', "import a = require('a')", 'a constant instead of'],
    ['import = of a name', 'import a = B.c', 'a constant instead of'],
    ['export =', 'export = 1', '`export default` instead of'],
    ['export as namespace', 'export as namespace A', '`export default` instead of'],
    ['accessor', 'class A { accessor x = 1 }', 'a getter and a setter'],
    ['static on a line of its own', 'class A { static\n readonly x = 1 }', 'on the line of its member'],
  ])('are refused where they are more: %s', (_, source, remedy) => {
    const read = () => scriptOf(`\n${source}\nexport default {}`, 'world.ts')
    expect(read).toThrow(OwnWorldError)
    expect(read).toThrow('world.ts, line 2: this part of TypeScript is more than types. Write it as plain JavaScript: ')
    expect(read).toThrow(remedy)
  })

  it('leave every other character in its column', () => {
    const source =
      "class A { private readonly x?: number = 1; f(this: A, y?: 1): void { (y as 1)!; throw new Error('here') } }"
    const script = scriptOf(`\n${source}\nexport default {}`, 'world.ts').split('\n')[1]!
    for (const word of ['class A', 'x', '= 1', 'f(', ') ', "throw new Error('here')"])
      expect(script.slice(source.indexOf(word))).toMatch(new RegExp(`^${word.replaceAll(/[()]/g, '\\$&')}`))
  })

  it('are refused with the line where anything else than JavaScript is left', () => {
    // A script, unlike a module, reads a comment from `<!--` to the end of the line.
    const read = () => scriptOf('let a = 1\nconst b = (2 <!--a)\nexport default {}', 'world.ts')
    expect(read).toThrow(OwnWorldError)
    expect(read).toThrow('world.ts, line 3: it cannot be read')
  })

  it('do not fail on a deep or a wide expression', () => {
    expect(() => scriptOf(`export default ${'1+'.repeat(90_000)}1`, 'world.ts')).not.toThrow(RangeError)
    expect(scriptOf(`export default [${'1,'.repeat(90_000)}]`, 'world.ts')).toContain('1,1')
  })
})
