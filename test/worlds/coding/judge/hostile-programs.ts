/** Programs that try to reach the host, stop the judge, outlive their limits, or lie about their answers. */
import type { Limits, PlainTest, Verdict } from '../../../../src/worlds/coding/judge/verdict.ts'

export interface HostileProgram {
  name: string
  source: string
  verdict: Verdict['kind']
  /** What a runtime error's message must contain. */
  message?: string
  /** `f()` must return 42, unless it says otherwise. */
  test?: PlainTest
}

export const HOSTILE_LIMITS: Limits = {
  executedMs: 200,
  wallMs: 5000,
  memoryBytes: 16 * 2 ** 20,
  outputCharacters: 10_000,
}

const DEFAULT_TEST: PlainTest = { kind: 'call', functionName: 'f', arguments: [], expected: 42 }
const STDIO_TEST: PlainTest = { kind: 'stdio', input: '42\n', expected: '42' }

export const testOf = ({ test }: HostileProgram): PlainTest => test ?? DEFAULT_TEST

const expecting = (expected: Extract<PlainTest, { kind: 'call' }>['expected']): PlainTest => ({
  kind: 'call',
  functionName: 'f',
  arguments: [],
  expected,
})

/** Calls `act(object, key)` for every property of every object that the global object can reach. */
const EVERYWHERE = `
const world = globalThis
const seen = [], queue = [globalThis, (function* () {})(), (async function* () {})(), async () => {}, new Map().entries(),
  new Set().entries(), [].entries(), ''[Symbol.iterator](), /x/[Symbol.matchAll](''), Promise.resolve(), 1n, Symbol(), true]
const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, freeze } = Object
const { ownKeys } = Reflect
const includes = (list, item) => { for (let i = 0; i < list.length; i++) if (list[i] === item) return true; return false }
let length = queue.length
for (let at = 0; at < length; at++) {
  const object = queue[at]
  if (object === null || object === undefined || includes(seen, object)) continue
  seen[seen.length] = object
  queue[length++] = getPrototypeOf(Object(object))
  if (typeof object !== 'object' && typeof object !== 'function') continue
  const keys = ownKeys(object)
  for (let i = 0; i < keys.length; i++) {
    const property = getOwnPropertyDescriptor(object, keys[i])
    queue[length++] = property.value
    queue[length++] = property.get
    queue[length++] = property.set
  }
}
const reached = []
for (let at = 0; at < seen.length; at++) {
  if (typeof seen[at] !== 'object' && typeof seen[at] !== 'function') continue
  const keys = ownKeys(seen[at])
  for (let i = 0; i < keys.length; i++) reached[reached.length] = { object: seen[at], key: keys[i] }
}
const count = reached.length
const everywhere = (act) => { for (let i = 0; i < count; i++) try { act(reached[i].object, reached[i].key) } catch {} }
`

const f = (body: string) => `function f() { ${body} }`

const ends = (
  verdict: HostileProgram['verdict'],
  name: string,
  source: string,
  rest: Pick<HostileProgram, 'message' | 'test'> = {},
): HostileProgram => ({ name, source, verdict, ...rest })

const OVERFLOW = { message: 'stack overflow' }

const ENDLESS: HostileProgram[] = [
  ends('time limit', 'an endless loop', f('while (true) {}')),
  ends('time limit', 'an endless loop outside of the function', 'for (;;);'),
  ends(
    'time limit',
    'an endless loop that catches everything',
    f('for (;;) try { throw 1 } catch {} finally { continue }'),
  ),
  ends('time limit', 'a finally that never ends', f('try { return 42 } finally { for (;;); }')),
  ends('memory limit', 'an endless generator, spread', f('return [...(function* () { for (;;) yield })()]')),
  ends('time limit', 'an endless generator, drained', f('for (const x of (function* () { for (;;) yield 1 })());')),
  ends(
    'time limit',
    'an iterator whose return never ends',
    f('for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { for (;;); } }) }) break'),
  ),
  ends('memory limit', 'an endless promise chain', f('const go = () => Promise.resolve().then(go); return go()')),
  ends('time limit', 'an async function that awaits forever', 'async function f() { for (;;) await null }'),
  ends(
    'time limit',
    'a thenable that resolves to itself',
    'async function f() { await { then(resolve) { resolve(this) } } }',
  ),
  ends(
    'time limit',
    'an endless async generator',
    'async function f() { for await (const x of (async function* () { for (;;) yield 1 })()); }',
  ),
  ends('time limit', 'a comparator that never ends', f('return [3, 1, 2].sort(() => { for (;;); })')),
  ends(
    'passed',
    'a comparator that contradicts itself',
    f('let n = 0; Array.from({ length: 3000 }, (_, i) => i).sort(() => (n++ % 3) - 1); return 42'),
  ),
  ends('time limit', 'a replacer that never ends', f("return 'aaa'.replace(/a/g, () => { for (;;); })")),
  ends('time limit', 'a conversion that never ends', f("return '' + { toString() { for (;;); } }")),
  ends('time limit', 'a static initialiser that never ends', 'class A { static { for (;;); } }'),
  ends('time limit', 'indexOf over 2^53 holes', f('return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)')),
  ends('time limit', 'includes over 2^53 holes', f('return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)')),
  ends(
    'time limit',
    'lastIndexOf over 2^53 holes',
    f('return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'),
  ),
  ends('time limit', 'reverse over 2^53 holes', f('return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })')),
  ends('memory limit', 'fill of 2^53 elements', f('return Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)')),
  ends('memory limit', 'an array of 10^9 filled', f('return new Array(1e9).fill(0).length')),
  ends('time limit', 'join over 10^9 holes', f("return new Array(4e9).join('')")),
  ends('time limit', 'a large integer to a large power', f('let x = 3n; for (;;) x = x ** 3n')),
  ends('time limit', 'multiplying integers of a million bits', f('const x = 1n << 400000n; for (;;) x * x')),
  ends('time limit', 'a large integer in decimal', f('return String(3n ** 600000n).length')),
  ends(
    'time limit',
    'dividing large integers',
    f('const x = (1n << 1000000n) - 1n, y = (1n << 500000n) + 3n; for (;;) x % y'),
  ),
  ends('time limit', 'copying large arrays forever', f('const a = new Uint8Array(4e6); for (;;) a.slice()')),
  ends('time limit', 'filling large arrays forever', f('const a = new Uint8Array(4e6); for (;;) a.fill(1)')),
  ends('time limit', 'moving large arrays forever', f('const a = new Uint8Array(4e6); for (;;) a.copyWithin(1, 0)')),
  ends(
    'time limit',
    'searching long strings forever',
    f("const s = 'a'.repeat(1e6); for (;;) s.indexOf('aaaaaaaaaab')"),
  ),
  ends('time limit', 'splitting long strings forever', f("const s = 'a,'.repeat(1e5); for (;;) s.split(',')")),
  ends(
    'time limit',
    'changing the case of long strings forever',
    f("const s = 'ß'.repeat(1e5); for (;;) s.toUpperCase()"),
  ),
  ends(
    'time limit',
    'normalising long strings forever',
    f("const s = 'a\\u0301'.repeat(1e5); for (;;) s.normalize('NFC')"),
  ),
  ends(
    'time limit',
    'parsing a long document forever',
    f("const s = '[' + '1,'.repeat(50000) + '1]'; for (;;) JSON.parse(s)"),
  ),
  ends('time limit', 'compiling a long program forever', f("const s = 'x=1;'.repeat(20000); for (;;) Function(s)")),
  ends('time limit', 'parsing a number of a million digits', f("const s = '1'.repeat(200000); for (;;) BigInt(s)")),
]

const REGULAR_EXPRESSIONS: HostileProgram[] = [
  ends('time limit', 'a catastrophic regular expression', f("return /^(a+)+$/.test('a'.repeat(40) + '!')")),
  ends('time limit', 'a catastrophic alternation', f("return /^(a|aa)+$/.test('a'.repeat(60) + '!')")),
  ends('time limit', 'a catastrophic lookahead', f("return /^(?=(a+)+$)x/.test('a'.repeat(40) + '!')")),
  ends('time limit', 'a catastrophic lookbehind', f("return /(?<=^x(a+)+)!/.test('a'.repeat(40) + '!')")),
  ends('time limit', 'a catastrophic backreference', f("return /^(a*)*\\\\1b$/.test('a'.repeat(40))")),
  ends('time limit', 'a catastrophic expression in replace', f("return 'a'.repeat(40).replace(/(a*)*b/g, 'x')")),
  ends('time limit', 'a catastrophic expression in split', f("return 'a'.repeat(40).split(/(?:a+)+b/).length")),
  ends(
    'time limit',
    'an expression with a large count',
    f("return new RegExp('(?:a{0,1000}){0,1000}b').test('a'.repeat(3000))"),
  ),
]

const MEMORY: HostileProgram[] = [
  ends('memory limit', 'an array that grows forever', f('const a = []; for (;;) a.push([])')),
  ends('memory limit', 'a string that doubles forever', f("let s = 'x'; for (;;) s = (s + s).slice(0) + s.at(-1)")),
  ends('memory limit', 'a long string', f("return 'x'.repeat(2 ** 29).length")),
  ends('memory limit', 'a buffer larger than the limit', f('return new Uint8Array(2 ** 28).length')),
  ends('memory limit', 'many buffers', f('const a = []; for (;;) a.push(new Float64Array(10000))')),
  ends('memory limit', 'a map that grows forever', f('const m = new Map(); for (let i = 0; ; i++) m.set(i, {})')),
  ends('memory limit', 'an object with ever more keys', f("const o = {}; for (let i = 0; ; i++) o['k' + i] = i")),
  ends('memory limit', 'a chain of closures', f('let g = () => 0; for (;;) { const h = g; g = () => h }')),
  ends(
    'time limit',
    'promises that are never settled',
    f('const a = []; for (;;) a.push(new Promise(() => {}).then(() => {}))'),
  ),
  ends('memory limit', 'ever more symbols', f("const a = []; for (;;) a.push(Symbol('x'.repeat(1000)))")),
  ends(
    'memory limit',
    'memory that runs out in a promise reaction',
    'async function f() { await null; const a = []; for (;;) a.push([]) }',
  ),
  ends(
    'memory limit',
    'memory that runs out repeatedly, caught',
    f('for (;;) try { const a = []; for (;;) a.push(new Array(1000).fill(0)) } catch {}'),
  ),
  ends(
    'memory limit',
    'memory that ran out, caught, and the answer',
    f('try { const a = []; for (;;) a.push(new Array(1000).fill(0)) } catch {} return 42'),
  ),
  ends('memory limit', 'a simulated lack of memory', f("throw new InternalError('out of memory')")),
]

const RECURSION: HostileProgram[] = [
  ends('runtime error', 'endless recursion', 'function f() { return f() + 1 }', OVERFLOW),
  ends(
    'runtime error',
    'endless recursion, caught',
    'function f() { try { return f() } catch { return 42 } }',
    OVERFLOW,
  ),
  ends(
    'runtime error',
    'recursion through a getter',
    f('const o = { get x() { return this.x } }; return o.x'),
    OVERFLOW,
  ),
  ends(
    'runtime error',
    'recursion through a proxy',
    f('const p = new Proxy({}, { get: (t, k, self) => self[k] }); return p.x'),
    OVERFLOW,
  ),
  ends(
    'runtime error',
    'recursion through a conversion',
    f("const o = { toString() { return '' + this } }; return '' + o"),
    OVERFLOW,
  ),
  ends('runtime error', 'recursion through sort', 'function f() { return [1, 2].sort(f) }', OVERFLOW),
  ends('runtime error', 'recursion through replace', "function f() { return 'a'.replace(/a/, f) }", OVERFLOW),
  ends(
    'runtime error',
    'recursion through constructors',
    f('class A { constructor() { new A() } } return new A()'),
    OVERFLOW,
  ),
  ends('runtime error', 'recursion through generators', f('function* g() { yield* g() } return [...g()]'), OVERFLOW),
  ends(
    'runtime error',
    'recursion through Reflect.apply',
    'function f() { return Reflect.apply(f, null, [1]) }',
    OVERFLOW,
  ),
  ends(
    'runtime error',
    'writing a deeply nested value',
    f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a)'),
    OVERFLOW,
  ),
  ends('runtime error', 'parsing a deeply nested value', f("return JSON.parse('['.repeat(1e5))"), OVERFLOW),
  ends(
    'runtime error',
    'flattening a deeply nested array',
    f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a.flat(Infinity)'),
    OVERFLOW,
  ),
  ends(
    'runtime error',
    'proxies of proxies',
    f('let p = {}; for (let i = 0; i < 1e4; i++) p = new Proxy(p, {}); return p.x'),
    OVERFLOW,
  ),
  ends('runtime error', 'endless parentheses', '('.repeat(50_000), OVERFLOW),
  ends('runtime error', 'functions in functions in functions', 'function f() {'.repeat(20_000), OVERFLOW),
  ends(
    'runtime error',
    'a deeply nested expression',
    f("return new RegExp('(?:'.repeat(20000) + ')'.repeat(20000)).test('')"),
  ),
  ends('wrong answer', 'a deeply nested result', f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a')),
]

const OUTPUT: HostileProgram[] = [
  ends('output limit', 'printing forever', "for (;;) print('x')", { test: STDIO_TEST }),
  ends('output limit', 'printing one long line', "print('x'.repeat(1e6))", { test: STDIO_TEST }),
  ends(
    'output limit',
    'printing too much, caught, and the answer',
    "try { print('x'.repeat(1e6)) } catch {} print(42)",
    { test: STDIO_TEST },
  ),
  ends('time limit', 'printing too much forever', "for (;;) try { print('x'.repeat(100)) } catch {}", {
    test: STDIO_TEST,
  }),
  ends(
    'output limit',
    'printing too much beside the right result',
    f("for (let i = 0; i < 1e4; i++) try { console.log('xxx') } catch {} return 42"),
  ),
  ends('output limit', 'endless empty lines', "for (;;) print('')", { test: STDIO_TEST }),
  ends(
    'output limit',
    'printing an endless value',
    "const s = 'x'.repeat(999); print({ toJSON() { print(s); return this.toJSON() } })",
    { test: STDIO_TEST },
  ),
  ends('output limit', 'a long result', f("return 'x'.repeat(1e6)")),
  ends('output limit', 'a result of many elements', f('return Array.from({ length: 1e5 }, (_, i) => i)')),
  ends(
    'output limit',
    'a result that repeats itself 2^60 times',
    f('let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a'),
  ),
  ends('wrong answer', 'a sparse result of 4·10^9 elements', f('return new Array(4e9)')),
]

const POLLUTION: HostileProgram[] = [
  ends(
    'passed',
    'deleting every property of every intrinsic',
    `${EVERYWHERE} everywhere((o, k) => { delete o[k] }); world.f = () => 42`,
  ),
  ends(
    'wrong answer',
    'replacing every function',
    `${EVERYWHERE} everywhere((o, k) => { if (typeof o[k] === 'function') defineProperty(o, k, { value: () => 42 }) }); world.f = () => 41`,
  ),
  ends(
    'passed',
    'a throwing accessor instead of every property',
    `${EVERYWHERE} everywhere((o, k) => { defineProperty(o, k, { get() { throw 1 }, set() { throw 1 } }) }); function f() { return [42] }`,
    { test: expecting([42]) },
  ),
  ends(
    'passed',
    'freezing every intrinsic',
    `${EVERYWHERE} everywhere((o) => { freeze(o) }); function f() { return { x: [42] } }`,
    { test: expecting({ x: [42] }) },
  ),
  ends('wrong answer', 'a JSON.stringify that returns 42', "JSON.stringify = () => '42'; function f() { return 41 }"),
  ends(
    'wrong answer',
    'a JSON.stringify that returns 42, for a text',
    `JSON.stringify = () => '"42"'; function f() { return '41' }`,
    { test: expecting('42') },
  ),
  ends(
    'wrong answer',
    'a JSON.stringify that returns 42, for a key',
    `JSON.stringify = () => '"42"'; function f() { return { 41: 0 } }`,
    { test: expecting({ 42: 0 }) },
  ),
  ends('wrong answer', 'a JSON.stringify that returns 42, for the output', `print(41); JSON.stringify = () => '"42"'`, {
    test: STDIO_TEST,
  }),
  ends('wrong answer', 'a join that returns 42', "Array.prototype.join = () => '42'; print(41)", { test: STDIO_TEST }),
  ends('wrong answer', 'a String that returns 42', "String = () => '42'; function f() { return [41] }", {
    test: expecting([42]),
  }),
  ends(
    'passed',
    'methods of strings that return 41',
    "String.prototype.indexOf = () => 1; String.prototype.slice = () => '41'; print(readline())",
    { test: STDIO_TEST },
  ),
  ends(
    'output limit',
    'errors that are not errors',
    "RangeError = TypeError = Error = function () { return { message: 'fine' } }; for (;;) print('x')",
    { test: STDIO_TEST },
  ),
  ends(
    'wrong answer',
    'a JSON.parse that returns something else',
    'JSON.parse = () => [42]; function f(x) { return x }',
    { test: { kind: 'call', functionName: 'f', arguments: [41], expected: 42 } },
  ),
  ends('wrong answer', 'a toJSON on every object', 'Object.prototype.toJSON = () => 42; function f() { return {} }'),
  ends(
    'passed',
    'setters for elements of arrays',
    "for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, { set() { throw new Error('caught you') } }); function f() { return JSON.parse('[42]') }",
    { test: expecting([42]) },
  ),
  ends(
    'passed',
    'setters for the fields of descriptors',
    "for (const k of ['value', 'get', 'enumerable', 'length']) { const d = Object.create(null); d.get = () => 42; d.set = () => {}; Object.defineProperty(Object.prototype, k, d) } function f() { return { x: 1 } }",
    { test: expecting({ x: 1 }) },
  ),
  ends(
    'wrong answer',
    'a call and an apply that do something else',
    'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 42; function f() { return 41 }',
  ),
  ends(
    'passed',
    'an iterator of arrays that never ends',
    'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 42 }; function f() { return 42 }',
  ),
  ends(
    'passed',
    'a then that never calls',
    'Promise.prototype.then = () => { throw 1 }; async function f() { return 42 }',
  ),
  ends(
    'wrong answer',
    'a false Array.isArray',
    'Array.isArray = () => true; Reflect.ownKeys = () => []; Object.hasOwn = () => false; function f() { return { 0: 42, length: 1 } }',
    { test: expecting([42]) },
  ),
  ends(
    'passed',
    'a missing species',
    'Array[Symbol.species] = null; Object.defineProperty(Array.prototype, "constructor", { get() { throw 1 } }); function f() { return [42] }',
    { test: expecting([42]) },
  ),
  ends(
    'passed',
    'a global object without its prototype',
    'Object.setPrototypeOf(globalThis, new Proxy({}, { get() { throw 1 }, has: () => true })); function f() { return 42 }',
  ),
  ends('passed', 'a name that is an accessor', "Object.defineProperty(globalThis, 'f', { get() { return () => 42 } })"),
  ends('wrong answer', 'a print that the program removes', 'globalThis.print = () => {}; print(42); console.log(41)', {
    test: STDIO_TEST,
  }),
]

const HOST_NAMES = `
  process require module exports __dirname global Buffer setImmediate self window document navigator location origin
  name onmessage close fetch XMLHttpRequest WebSocket EventSource importScripts Request Blob URL FileReader
  postMessage MessageChannel MessagePort BroadcastChannel Worker SharedWorker addEventListener setTimeout setInterval
  clearTimeout requestAnimationFrame requestIdleCallback WebAssembly SharedArrayBuffer Atomics indexedDB caches
  localStorage crypto performance Date Intl Temporal structuredClone gpu OffscreenCanvas scriptArgs std os bjson gc
`
  .trim()
  .split(/\s+/)

const ESCAPES: HostileProgram[] = [
  ends(
    'passed',
    'looking for everything that a host has',
    f(`return [${HOST_NAMES.map((name) => `typeof ${name}`).join()}].filter((type) => type !== 'undefined').length`),
    { test: expecting(0) },
  ),
  ends(
    'passed',
    'only the language among the globals',
    f(`return Object.getOwnPropertyNames(globalThis).filter((name) => ${JSON.stringify(HOST_NAMES)}.includes(name))`),
    { test: expecting([]) },
  ),
  ends('passed', 'Function for the global object of the host', f("return typeof Function('return this')().process"), {
    test: expecting('undefined'),
  }),
  ends(
    'passed',
    'the constructor of a constructor',
    f("return typeof f.constructor.constructor('return this')().postMessage"),
    { test: expecting('undefined') },
  ),
  ends(
    'passed',
    'the constructor of an argument',
    "function f(x) { return x.constructor.constructor('return globalThis')() === globalThis }",
    { test: { kind: 'call', functionName: 'f', arguments: [{ a: [] }], expected: true } },
  ),
  ends(
    'passed',
    'the constructors of print and console',
    f("return [print, console.log, readline, input].every((g) => g.constructor('return globalThis')() === globalThis)"),
    { test: expecting(true) },
  ),
  ends(
    'passed',
    'constructors of all kinds of functions',
    f(
      "return [() => {}, async () => {}, function* () {}, async function* () {}].map((g) => { try { return typeof g.constructor('return typeof fetch')() } catch (e) { return e.name } })",
    ),
    { test: expecting(['string', 'object', 'object', 'object']) },
  ),
  ends(
    'passed',
    'indirect eval for the global object of the host',
    f("return typeof (0, eval)('this').importScripts"),
    { test: expecting('undefined') },
  ),
  ends(
    'passed',
    'this at the top',
    "const top = this; function f() { return top === globalThis && typeof top.constructor.constructor('return process') }",
    { test: expecting('function') },
  ),
  ends('runtime error', 'calling process', f('return process.exit(0)'), { message: 'ReferenceError' }),
  ends('runtime error', 'calling fetch', f("return fetch('http://localhost/')"), { message: 'ReferenceError' }),
  ends('runtime error', 'calling postMessage', f("postMessage('hello'); return 42"), { message: 'ReferenceError' }),
  ends('runtime error', 'calling setTimeout', f('setTimeout(() => {}, 0); return 42'), { message: 'ReferenceError' }),
  ends('runtime error', 'compiling WebAssembly', f('return new WebAssembly.Memory({ initial: 1 })'), {
    message: 'ReferenceError',
  }),
  ends('runtime error', 'waiting on shared memory', f('Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)'), {
    message: 'ReferenceError',
  }),
  ends('syntax error', 'importing a module', "import fs from 'fs'; function f() { return 42 }"),
  ends('runtime error', 'importing a module later', "async function f() { return (await import('fs')).default }"),
  ends(
    'runtime error',
    'importing an address later',
    "async function f() { return await import('http://localhost/x.js') }",
  ),
  ends('syntax error', 'the meta properties of a module', f('return import.meta.url')),
  ends(
    'passed',
    'the caller of a function',
    'function f() { return [f.caller ?? null, arguments.callee.caller ?? null] }',
    { test: expecting([null, null]) },
  ),
  ends(
    'passed',
    'a stack trace that looks for the host',
    "Error.prepareStackTrace = (e, frames) => frames; function f() { return /file:|http|worker|node_modules/.test(String(new Error('x').stack)) }",
    { test: expecting(false) },
  ),
  ends(
    'wrong answer',
    'a random number that differs',
    f('return [Math.random(), Math.random()].map((x) => Math.floor(x * 1000))'),
    { test: expecting([]) },
  ),
]

const RESULTS: HostileProgram[] = [
  ends('wrong answer', 'a result that is undefined', f('')),
  ends('wrong answer', 'a result that is not a number', f('return NaN'), { test: expecting(null) }),
  ends('wrong answer', 'a result that is infinite', f('return [Infinity]'), { test: expecting([null]) }),
  ends('wrong answer', 'a large integer for a number', f('return 42n')),
  ends('wrong answer', 'a symbol', f("return Symbol('42')")),
  ends('wrong answer', 'a function', f('return () => 42')),
  ends('wrong answer', 'a map', f('return new Map([[1, 2]])'), { test: expecting({}) }),
  ends('wrong answer', 'a number in an object', f('return new Number(42)')),
  ends('wrong answer', 'a typed array', f('return new Int32Array([4, 2])'), { test: expecting([4, 2]) }),
  ends('wrong answer', 'an instance of a class with the right properties', f('class P { x = 42 } return new P()'), {
    test: expecting({ x: 42 }),
  }),
  ends('wrong answer', 'a valueOf that returns 42', f('return { valueOf: () => 42, toString: () => "42" }')),
  ends('wrong answer', 'a toJSON that returns 42', f('return { toJSON: () => 42 }')),
  ends('wrong answer', 'a result that contains itself', f('const o = {}; o.o = o; return o')),
  ends('wrong answer', 'an accessor that returns 42', f('return { get x() { return 42 } }'), {
    test: expecting({ x: 42 }),
  }),
  ends('wrong answer', 'an accessor that never ends', f('return { get x() { for (;;); } }'), {
    test: expecting({ x: 42 }),
  }),
  ends('wrong answer', 'an element that is an accessor', f('return Object.defineProperty([1], 0, { get: () => 42 })'), {
    test: expecting([42]),
  }),
  ends('wrong answer', 'a hole in an array', f('return [, 42]'), { test: expecting([null, 42]) }),
  ends('time limit', 'a proxy whose traps never end', f('return new Proxy({}, { ownKeys() { for (;;); } })'), {
    test: expecting({}),
  }),
  ends(
    'runtime error',
    'a proxy with a missing prototype',
    f('return new Proxy({}, { getPrototypeOf() { throw new Error("no") } })'),
    { message: 'no', test: expecting({}) },
  ),
  ends(
    'passed',
    'a proxy that changes while it is read',
    f(
      'let n = 0; return new Proxy([0, 0], { getOwnPropertyDescriptor: (t, k) => k === "length" ? Reflect.getOwnPropertyDescriptor(t, k) : ({ value: n++, writable: true, enumerable: true, configurable: true }) })',
    ),
    { test: expecting([0, 1]) },
  ),
  ends(
    'wrong answer',
    'a proxy of an array with more elements than it has',
    f('return new Proxy([42], { get: () => 43 })'),
    { test: expecting([43]) },
  ),
  ends(
    'runtime error',
    'a revoked proxy',
    f('const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy'),
  ),
  ends('wrong answer', 'a property named __proto__', f('return JSON.parse(\'{"__proto__": 42}\')'), {
    test: expecting({}),
  }),
  ends('wrong answer', 'a generator', 'function* f() { return 42 }'),
  ends('passed', 'a promise of the answer', 'async function f() { await null; return 42 }'),
  ends('runtime error', 'a promise that is never settled', f('return new Promise(() => {})'), {
    message: 'never settled',
  }),
  ends('runtime error', 'a promise that is rejected', "async function f() { throw new RangeError('too far') }", {
    message: 'RangeError: too far',
  }),
  ends(
    'runtime error',
    'a promise of a promise that is rejected',
    "function f() { return Promise.resolve(Promise.reject(new Error('later'))) }",
    { message: 'later' },
  ),
  ends('wrong answer', 'a thenable that returns 42', f('return { then(resolve) { resolve(42) } }')),
  ends('runtime error', 'an error whose message never ends', f('throw { get message() { for (;;); } }'), {
    message: 'cannot be described',
  }),
  ends('runtime error', 'an error whose message throws', f('throw { get message() { throw 1 } }'), {
    message: 'cannot be described',
  }),
  ends('runtime error', 'an error that is a proxy', f('throw new Proxy({}, { get() { throw 1 } })'), {
    message: 'cannot be described',
  }),
  ends('runtime error', 'an error with a long message', f("throw new Error('x'.repeat(1e6))"), {
    message: 'Error: xxx',
  }),
  ends('runtime error', 'nothing thrown', f('throw undefined'), { message: 'undefined' }),
  ends('runtime error', 'null thrown', f('throw null'), { message: 'null' }),
  ends('runtime error', 'a syntax error thrown', f("throw new SyntaxError('just so')"), { message: 'just so' }),
  ends('runtime error', 'a syntax error in what it evaluates', "eval('('); function f() {}", {
    message: 'SyntaxError',
  }),
  ends('runtime error', 'no program at all', '', { message: 'ReferenceError' }),
  ends('syntax error', 'a program of noise', '\u0000\u0001 }{ ´'),
  ends('syntax error', 'a program that ends too early', 'function f() { return 42'),
  ends('runtime error', 'a value instead of the function', 'const f = 42', { message: 'not a function' }),
]

/** Attempts to use features of workers or newer engines, and to run code later or elsewhere. */
const HOST_AND_LATER: HostileProgram[] = [
  ...[
    ['a timer that repeats', 'setInterval(() => {}, 1)'],
    ['a task for later', 'queueMicrotask(() => {})'],
    ['a worker', "new Worker('data:text/javascript,')"],
    ['closing the worker', 'close()'],
    ['closing the worker by its global', 'self.close()'],
    ['listening for messages', "addEventListener('message', () => {})"],
    ['loading a script', "importScripts('http://localhost/x.js')"],
    ['a channel', 'new MessageChannel().port1.postMessage(42)'],
    ['a broadcast', "new BroadcastChannel('x').postMessage(42)"],
    ['a request of the old kind', 'new XMLHttpRequest()'],
    ['a socket', "new WebSocket('ws://localhost/')"],
    ['a beacon', "navigator.sendBeacon('http://localhost/', '')"],
    ['storage', "indexedDB.open('rlanything-runs')"],
    ['a realm of its own', "new ShadowRealm().evaluate('process')"],
    ['compiling code for the machine', 'WebAssembly.compile(new Uint8Array(8))'],
    ['a module of the host', "require('child_process').execSync('true')"],
    ['the clock', 'Date.now()'],
  ].map(([name, body]) => ends('runtime error', name!, f(`${body}; return 42`), { message: 'ReferenceError' })),
  ends(
    'runtime error',
    'an import from a text',
    'async function f() { return (await Function(\'return import("fs")\')()).default }',
  ),
  ends(
    'time limit',
    'a failed import whose catch never ends',
    "import('fs').catch(() => { for (;;); }); function f() { return 42 }",
  ),
  ends(
    'passed',
    'globals of the same names, which are harmless',
    "globalThis.postMessage = globalThis.close = globalThis.onmessage = () => 42; globalThis.fetch = async () => 42; async function f() { postMessage('x'); close(); return await fetch('') }",
  ),
  ends(
    'passed',
    'a finaliser that would run with the next program',
    `
      globalThis.registry = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry(() => { for (;;); }) : null
      function f() { for (let i = 0; i < 1000; i++) registry?.register({}, i); return 42 }
    `,
  ),
  ends(
    'passed',
    'reactions that would run with the next program',
    'Promise.resolve().then(() => { globalThis.print = null; JSON.parse = null }); function f() { return 42 }',
  ),
  ends(
    'passed',
    'a reaction that removes the function',
    'function f() { return 41 } Promise.resolve().then(() => { globalThis.f = () => 42 })',
  ),
  ends(
    'wrong answer',
    'a promise of a class that settles twice',
    'class P extends Promise { then(a, b) { a?.(42); b?.(1); return super.then(a, b) } } function f() { return P.resolve(41) }',
  ),
  ends(
    'wrong answer',
    'a promise with a false constructor',
    "function f() { const p = Promise.resolve(41); Object.defineProperty(p, 'constructor', { get() { throw 1 } }); p.then = (go) => go(42); return p }",
  ),
  ends(
    'runtime error',
    'an async generator whose return is awaited forever',
    'async function* g() { try { yield 1 } finally { await new Promise(() => {}) } } async function f() { const it = g(); await it.next(); await it.return(); return 42 }',
    { message: 'never settled' },
  ),
  ends(
    'time limit',
    'a generator that continues from its own finally',
    f(
      'const g = (function* () { for (;;) try { yield 1 } finally { continue } })(); for (let i = 0; ; i++) g.return()',
    ),
  ),
  ends('wrong answer', 'a result that is a generator of results', f('return { ...(function* () { yield 42 })() }'), {
    test: expecting([42]),
  }),
]

const MORE_POLLUTION: HostileProgram[] = [
  ends(
    'wrong answer',
    'a prototype for Object.prototype',
    'Object.setPrototypeOf(Array.prototype, { x: 42 }); function f() { return [] }',
    { test: expecting([42]) },
  ),
  ends(
    'wrong answer',
    'a key of Object.prototype in the answer',
    'Object.prototype.x = 42; function f() { return {} }',
    { test: expecting({ x: 42 }) },
  ),
  ends(
    'passed',
    'a key of Object.prototype beside the answer',
    'Object.prototype.x = 41; Array.prototype[0] = 41; function f() { return { y: [42] } }',
    { test: expecting({ y: [42] }) },
  ),
  ends(
    'passed',
    'arguments that are polluted before they are read',
    'Object.defineProperty(Object.prototype, "0", { get: () => 41, set() {} }); Object.prototype.length = 0; function f(x) { return x }',
    { test: { kind: 'call', functionName: 'f', arguments: [[42]], expected: [42] } },
  ),
  ends(
    'passed',
    'names that the judge uses',
    'var apply = 1, parse = 2, stringify = 3, given = 4, fault = 5, encoded = 6, plain = 7; const begin = 8; function invoke() { return 41 } function f() { return 42 }',
  ),
  ends(
    'passed',
    'redefined undefined, NaN and globalThis',
    'try { undefined = 1; NaN = 2; Infinity = 3 } catch {} globalThis.globalThis = {}; var Object = null, Array = null, JSON = null; function f() { return 42 }',
  ),
  ends(
    'passed',
    'a Symbol.toPrimitive on every kind of value',
    'for (const C of [Number, String, Boolean, Object]) C.prototype[Symbol.toPrimitive] = () => { throw 1 }; function f() { return [42, "x"] }',
    { test: expecting([42, 'x']) },
  ),
  ends(
    'wrong answer',
    'a false Symbol.isConcatSpreadable and Symbol.hasInstance',
    'Array.prototype[Symbol.isConcatSpreadable] = false; class X { x = 42; static [Symbol.hasInstance]() { return true } } Object.defineProperty(Object, Symbol.hasInstance, { value: () => true }); function f() { return new X() }',
    { test: expecting({ x: 42 }) },
  ),
]

const MORE_EXHAUSTION: HostileProgram[] = [
  ends(
    'memory limit',
    'a buffer that grows step by step',
    f('const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); for (let i = 4; ; i++) b.resize(2 ** i)'),
  ),
  ends('runtime error', 'an integer of a billion bits', f('return 1n << 2n ** 30n')),
  ends(
    'runtime error',
    'strings joined to 2^53 letters',
    f("let s = 'x'; for (let i = 0; i < 60; i++) s += s; return s.length"),
  ),
  ends('runtime error', 'a pattern of a million groups', f("return new RegExp('(a)'.repeat(1e6)).test('a')")),
  ends(
    'time limit',
    'a regular expression that never advances',
    f("const r = /(?:)/y; for (;;) { r.lastIndex = 0; 'x'.match(r) }"),
  ),
  ends(
    'memory limit',
    'a tagged template with a million parts',
    f("return eval('String.raw`' + '${1}'.repeat(1e6) + '`').length"),
  ),
  ends('memory limit', 'a function of a million arguments', f('return Math.max(...new Array(1e6).fill(1))')),
  ends(
    'runtime error',
    'a function applied to 2^32 arguments',
    f('return Math.max.apply(null, { length: 2 ** 32 - 1 })'),
  ),
  ends('time limit', 'endless labels and switches', f('out: for (;;) switch (0) { default: for (;;) continue out }')),
]

export const HOSTILE_PROGRAMS: readonly HostileProgram[] = [
  ...ENDLESS,
  ...REGULAR_EXPRESSIONS,
  ...MEMORY,
  ...RECURSION,
  ...OUTPUT,
  ...POLLUTION,
  ...ESCAPES,
  ...RESULTS,
  ...HOST_AND_LATER,
  ...MORE_POLLUTION,
  ...MORE_EXHAUSTION,
]
