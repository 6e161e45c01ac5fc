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

const ENDLESS: HostileProgram[] = [
  { name: 'an endless loop', source: f('while (true) {}'), verdict: 'time limit' },
  { name: 'an endless loop outside of the function', source: 'for (;;);', verdict: 'time limit' },
  {
    name: 'an endless loop that catches everything',
    source: f('for (;;) try { throw 1 } catch {} finally { continue }'),
    verdict: 'time limit',
  },
  { name: 'a finally that never ends', source: f('try { return 42 } finally { for (;;); }'), verdict: 'time limit' },
  {
    name: 'an endless generator, spread',
    source: f('return [...(function* () { for (;;) yield })()]'),
    verdict: 'memory limit',
  },
  {
    name: 'an endless generator, drained',
    source: f('for (const x of (function* () { for (;;) yield 1 })());'),
    verdict: 'time limit',
  },
  {
    name: 'an iterator whose return never ends',
    source: f(
      'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { for (;;); } }) }) break',
    ),
    verdict: 'time limit',
  },
  {
    name: 'an endless promise chain',
    source: f('const go = () => Promise.resolve().then(go); return go()'),
    verdict: 'memory limit',
  },
  {
    name: 'an async function that awaits forever',
    source: 'async function f() { for (;;) await null }',
    verdict: 'time limit',
  },
  {
    name: 'a thenable that resolves to itself',
    source: 'async function f() { await { then(resolve) { resolve(this) } } }',
    verdict: 'time limit',
  },
  {
    name: 'an endless async generator',
    source: 'async function f() { for await (const x of (async function* () { for (;;) yield 1 })()); }',
    verdict: 'time limit',
  },
  {
    name: 'a comparator that never ends',
    source: f('return [3, 1, 2].sort(() => { for (;;); })'),
    verdict: 'time limit',
  },
  {
    name: 'a comparator that contradicts itself',
    source: f('let n = 0; Array.from({ length: 3000 }, (_, i) => i).sort(() => (n++ % 3) - 1); return 42'),
    verdict: 'passed',
  },
  {
    name: 'a replacer that never ends',
    source: f("return 'aaa'.replace(/a/g, () => { for (;;); })"),
    verdict: 'time limit',
  },
  {
    name: 'a conversion that never ends',
    source: f("return '' + { toString() { for (;;); } }"),
    verdict: 'time limit',
  },
  { name: 'a static initialiser that never ends', source: 'class A { static { for (;;); } }', verdict: 'time limit' },
  {
    name: 'indexOf over 2^53 holes',
    source: f('return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'),
    verdict: 'time limit',
  },
  {
    name: 'includes over 2^53 holes',
    source: f('return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'),
    verdict: 'time limit',
  },
  {
    name: 'lastIndexOf over 2^53 holes',
    source: f('return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'),
    verdict: 'time limit',
  },
  {
    name: 'reverse over 2^53 holes',
    source: f('return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })'),
    verdict: 'time limit',
  },
  {
    name: 'fill of 2^53 elements',
    source: f('return Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)'),
    verdict: 'memory limit',
  },
  { name: 'an array of 10^9 filled', source: f('return new Array(1e9).fill(0).length'), verdict: 'memory limit' },
  { name: 'join over 10^9 holes', source: f("return new Array(4e9).join('')"), verdict: 'time limit' },
  { name: 'a large integer to a large power', source: f('let x = 3n; for (;;) x = x ** 3n'), verdict: 'time limit' },
  {
    name: 'multiplying integers of a million bits',
    source: f('const x = 1n << 400000n; for (;;) x * x'),
    verdict: 'time limit',
  },
  { name: 'a large integer in decimal', source: f('return String(3n ** 600000n).length'), verdict: 'time limit' },
  {
    name: 'dividing large integers',
    source: f('const x = (1n << 1000000n) - 1n, y = (1n << 500000n) + 3n; for (;;) x % y'),
    verdict: 'time limit',
  },
  {
    name: 'copying large arrays forever',
    source: f('const a = new Uint8Array(4e6); for (;;) a.slice()'),
    verdict: 'time limit',
  },
  {
    name: 'filling large arrays forever',
    source: f('const a = new Uint8Array(4e6); for (;;) a.fill(1)'),
    verdict: 'time limit',
  },
  {
    name: 'moving large arrays forever',
    source: f('const a = new Uint8Array(4e6); for (;;) a.copyWithin(1, 0)'),
    verdict: 'time limit',
  },
  {
    name: 'searching long strings forever',
    source: f("const s = 'a'.repeat(1e6); for (;;) s.indexOf('aaaaaaaaaab')"),
    verdict: 'time limit',
  },
  {
    name: 'splitting long strings forever',
    source: f("const s = 'a,'.repeat(1e5); for (;;) s.split(',')"),
    verdict: 'time limit',
  },
  {
    name: 'changing the case of long strings forever',
    source: f("const s = 'ß'.repeat(1e5); for (;;) s.toUpperCase()"),
    verdict: 'time limit',
  },
  {
    name: 'normalising long strings forever',
    source: f("const s = 'a\\u0301'.repeat(1e5); for (;;) s.normalize('NFC')"),
    verdict: 'time limit',
  },
  {
    name: 'parsing a long document forever',
    source: f("const s = '[' + '1,'.repeat(50000) + '1]'; for (;;) JSON.parse(s)"),
    verdict: 'time limit',
  },
  {
    name: 'compiling a long program forever',
    source: f("const s = 'x=1;'.repeat(20000); for (;;) Function(s)"),
    verdict: 'time limit',
  },
  {
    name: 'parsing a number of a million digits',
    source: f("const s = '1'.repeat(200000); for (;;) BigInt(s)"),
    verdict: 'time limit',
  },
]

const REGULAR_EXPRESSIONS: HostileProgram[] = [
  {
    name: 'a catastrophic regular expression',
    source: f("return /^(a+)+$/.test('a'.repeat(40) + '!')"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic alternation',
    source: f("return /^(a|aa)+$/.test('a'.repeat(60) + '!')"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic lookahead',
    source: f("return /^(?=(a+)+$)x/.test('a'.repeat(40) + '!')"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic lookbehind',
    source: f("return /(?<=^x(a+)+)!/.test('a'.repeat(40) + '!')"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic backreference',
    source: f("return /^(a*)*\\\\1b$/.test('a'.repeat(40))"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic expression in replace',
    source: f("return 'a'.repeat(40).replace(/(a*)*b/g, 'x')"),
    verdict: 'time limit',
  },
  {
    name: 'a catastrophic expression in split',
    source: f("return 'a'.repeat(40).split(/(?:a+)+b/).length"),
    verdict: 'time limit',
  },
  {
    name: 'an expression with a large count',
    source: f("return new RegExp('(?:a{0,1000}){0,1000}b').test('a'.repeat(3000))"),
    verdict: 'time limit',
  },
]

const MEMORY: HostileProgram[] = [
  { name: 'an array that grows forever', source: f('const a = []; for (;;) a.push([])'), verdict: 'memory limit' },
  {
    name: 'a string that doubles forever',
    source: f("let s = 'x'; for (;;) s = (s + s).slice(0) + s.at(-1)"),
    verdict: 'memory limit',
  },
  { name: 'a long string', source: f("return 'x'.repeat(2 ** 29).length"), verdict: 'memory limit' },
  {
    name: 'a buffer larger than the limit',
    source: f('return new Uint8Array(2 ** 28).length'),
    verdict: 'memory limit',
  },
  {
    name: 'many buffers',
    source: f('const a = []; for (;;) a.push(new Float64Array(10000))'),
    verdict: 'memory limit',
  },
  {
    name: 'a map that grows forever',
    source: f('const m = new Map(); for (let i = 0; ; i++) m.set(i, {})'),
    verdict: 'memory limit',
  },
  {
    name: 'an object with ever more keys',
    source: f("const o = {}; for (let i = 0; ; i++) o['k' + i] = i"),
    verdict: 'memory limit',
  },
  {
    name: 'a chain of closures',
    source: f('let g = () => 0; for (;;) { const h = g; g = () => h }'),
    verdict: 'memory limit',
  },
  {
    name: 'promises that are never settled',
    source: f('const a = []; for (;;) a.push(new Promise(() => {}).then(() => {}))'),
    verdict: 'time limit',
  },
  {
    name: 'ever more symbols',
    source: f("const a = []; for (;;) a.push(Symbol('x'.repeat(1000)))"),
    verdict: 'memory limit',
  },
  {
    name: 'memory that runs out in a promise reaction',
    source: 'async function f() { await null; const a = []; for (;;) a.push([]) }',
    verdict: 'memory limit',
  },
  {
    name: 'memory that runs out repeatedly, caught',
    source: f('for (;;) try { const a = []; for (;;) a.push(new Array(1000).fill(0)) } catch {}'),
    verdict: 'memory limit',
  },
  {
    name: 'memory that ran out, caught, and the answer',
    source: f('try { const a = []; for (;;) a.push(new Array(1000).fill(0)) } catch {} return 42'),
    verdict: 'memory limit',
  },
  {
    name: 'a simulated lack of memory',
    source: f("throw new InternalError('out of memory')"),
    verdict: 'memory limit',
  },
]

const RECURSION: HostileProgram[] = [
  {
    name: 'endless recursion',
    source: 'function f() { return f() + 1 }',
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'endless recursion, caught',
    source: 'function f() { try { return f() } catch { return 42 } }',
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through a getter',
    source: f('const o = { get x() { return this.x } }; return o.x'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through a proxy',
    source: f('const p = new Proxy({}, { get: (t, k, self) => self[k] }); return p.x'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through a conversion',
    source: f("const o = { toString() { return '' + this } }; return '' + o"),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through sort',
    source: 'function f() { return [1, 2].sort(f) }',
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through replace',
    source: "function f() { return 'a'.replace(/a/, f) }",
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through constructors',
    source: f('class A { constructor() { new A() } } return new A()'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through generators',
    source: f('function* g() { yield* g() } return [...g()]'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'recursion through Reflect.apply',
    source: 'function f() { return Reflect.apply(f, null, [1]) }',
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'writing a deeply nested value',
    source: f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a)'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'parsing a deeply nested value',
    source: f("return JSON.parse('['.repeat(1e5))"),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'flattening a deeply nested array',
    source: f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a.flat(Infinity)'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'proxies of proxies',
    source: f('let p = {}; for (let i = 0; i < 1e4; i++) p = new Proxy(p, {}); return p.x'),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  { name: 'endless parentheses', source: '('.repeat(50_000), verdict: 'runtime error', message: 'stack overflow' },
  {
    name: 'functions in functions in functions',
    source: 'function f() {'.repeat(20_000),
    verdict: 'runtime error',
    message: 'stack overflow',
  },
  {
    name: 'a deeply nested expression',
    source: f("return new RegExp('(?:'.repeat(20000) + ')'.repeat(20000)).test('')"),
    verdict: 'runtime error',
  },
  {
    name: 'a deeply nested result',
    source: f('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a'),
    verdict: 'wrong answer',
  },
]

const OUTPUT: HostileProgram[] = [
  { name: 'printing forever', source: "for (;;) print('x')", test: STDIO_TEST, verdict: 'output limit' },
  { name: 'printing one long line', source: "print('x'.repeat(1e6))", test: STDIO_TEST, verdict: 'output limit' },
  {
    name: 'printing too much, caught, and the answer',
    source: "try { print('x'.repeat(1e6)) } catch {} print(42)",
    test: STDIO_TEST,
    verdict: 'output limit',
  },
  {
    name: 'printing too much forever',
    source: "for (;;) try { print('x'.repeat(100)) } catch {}",
    test: STDIO_TEST,
    verdict: 'time limit',
  },
  {
    name: 'printing too much beside the right result',
    source: f("for (let i = 0; i < 1e4; i++) try { console.log('xxx') } catch {} return 42"),
    verdict: 'output limit',
  },
  { name: 'endless empty lines', source: "for (;;) print('')", test: STDIO_TEST, verdict: 'output limit' },
  {
    name: 'printing an endless value',
    source: "const s = 'x'.repeat(999); print({ toJSON() { print(s); return this.toJSON() } })",
    test: STDIO_TEST,
    verdict: 'output limit',
  },
  { name: 'a long result', source: f("return 'x'.repeat(1e6)"), verdict: 'output limit' },
  {
    name: 'a result of many elements',
    source: f('return Array.from({ length: 1e5 }, (_, i) => i)'),
    verdict: 'output limit',
  },
  {
    name: 'a result that repeats itself 2^60 times',
    source: f('let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a'),
    verdict: 'output limit',
  },
  { name: 'a sparse result of 4·10^9 elements', source: f('return new Array(4e9)'), verdict: 'wrong answer' },
]

const POLLUTION: HostileProgram[] = [
  {
    name: 'deleting every property of every intrinsic',
    source: `${EVERYWHERE} everywhere((o, k) => { delete o[k] }); world.f = () => 42`,
    verdict: 'passed',
  },
  {
    name: 'replacing every function',
    source: `${EVERYWHERE} everywhere((o, k) => { if (typeof o[k] === 'function') defineProperty(o, k, { value: () => 42 }) }); world.f = () => 41`,
    verdict: 'wrong answer',
  },
  {
    name: 'a throwing accessor instead of every property',
    source: `${EVERYWHERE} everywhere((o, k) => { defineProperty(o, k, { get() { throw 1 }, set() { throw 1 } }) }); function f() { return [42] }`,
    test: expecting([42]),
    verdict: 'passed',
  },
  {
    name: 'freezing every intrinsic',
    source: `${EVERYWHERE} everywhere((o) => { freeze(o) }); function f() { return { x: [42] } }`,
    test: expecting({ x: [42] }),
    verdict: 'passed',
  },
  {
    name: 'a JSON.stringify that returns 42',
    source: "JSON.stringify = () => '42'; function f() { return 41 }",
    verdict: 'wrong answer',
  },
  {
    name: 'a JSON.stringify that returns 42, for a text',
    source: `JSON.stringify = () => '"42"'; function f() { return '41' }`,
    test: expecting('42'),
    verdict: 'wrong answer',
  },
  {
    name: 'a JSON.stringify that returns 42, for a key',
    source: `JSON.stringify = () => '"42"'; function f() { return { 41: 0 } }`,
    test: expecting({ 42: 0 }),
    verdict: 'wrong answer',
  },
  {
    name: 'a JSON.stringify that returns 42, for the output',
    source: `print(41); JSON.stringify = () => '"42"'`,
    test: STDIO_TEST,
    verdict: 'wrong answer',
  },
  {
    name: 'a join that returns 42',
    source: "Array.prototype.join = () => '42'; print(41)",
    test: STDIO_TEST,
    verdict: 'wrong answer',
  },
  {
    name: 'a String that returns 42',
    source: "String = () => '42'; function f() { return [41] }",
    test: expecting([42]),
    verdict: 'wrong answer',
  },
  {
    name: 'methods of strings that return 41',
    source: "String.prototype.indexOf = () => 1; String.prototype.slice = () => '41'; print(readline())",
    test: STDIO_TEST,
    verdict: 'passed',
  },
  {
    name: 'errors that are not errors',
    source: "RangeError = TypeError = Error = function () { return { message: 'fine' } }; for (;;) print('x')",
    test: STDIO_TEST,
    verdict: 'output limit',
  },
  {
    name: 'a JSON.parse that returns something else',
    source: 'JSON.parse = () => [42]; function f(x) { return x }',
    test: { kind: 'call', functionName: 'f', arguments: [41], expected: 42 },
    verdict: 'wrong answer',
  },
  {
    name: 'a toJSON on every object',
    source: 'Object.prototype.toJSON = () => 42; function f() { return {} }',
    verdict: 'wrong answer',
  },
  {
    name: 'setters for elements of arrays',
    source:
      "for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, { set() { throw new Error('caught you') } }); function f() { return JSON.parse('[42]') }",
    test: expecting([42]),
    verdict: 'passed',
  },
  {
    name: 'setters for the fields of descriptors',
    source:
      "for (const k of ['value', 'get', 'enumerable', 'length']) { const d = Object.create(null); d.get = () => 42; d.set = () => {}; Object.defineProperty(Object.prototype, k, d) } function f() { return { x: 1 } }",
    test: expecting({ x: 1 }),
    verdict: 'passed',
  },
  {
    name: 'a call and an apply that do something else',
    source:
      'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 42; function f() { return 41 }',
    verdict: 'wrong answer',
  },
  {
    name: 'an iterator of arrays that never ends',
    source: 'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 42 }; function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'a then that never calls',
    source: 'Promise.prototype.then = () => { throw 1 }; async function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'a false Array.isArray',
    source:
      'Array.isArray = () => true; Reflect.ownKeys = () => []; Object.hasOwn = () => false; function f() { return { 0: 42, length: 1 } }',
    test: expecting([42]),
    verdict: 'wrong answer',
  },
  {
    name: 'a missing species',
    source:
      'Array[Symbol.species] = null; Object.defineProperty(Array.prototype, "constructor", { get() { throw 1 } }); function f() { return [42] }',
    test: expecting([42]),
    verdict: 'passed',
  },
  {
    name: 'a global object without its prototype',
    source:
      'Object.setPrototypeOf(globalThis, new Proxy({}, { get() { throw 1 }, has: () => true })); function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'a name that is an accessor',
    source: "Object.defineProperty(globalThis, 'f', { get() { return () => 42 } })",
    verdict: 'passed',
  },
  {
    name: 'a print that the program removes',
    source: 'globalThis.print = () => {}; print(42); console.log(41)',
    test: STDIO_TEST,
    verdict: 'wrong answer',
  },
]

const HOST_NAMES = [
  'process',
  'require',
  'module',
  'exports',
  '__dirname',
  'global',
  'Buffer',
  'setImmediate',
  'self',
  'window',
  'document',
  'navigator',
  'location',
  'origin',
  'name',
  'onmessage',
  'close',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'importScripts',
  'Request',
  'Blob',
  'URL',
  'FileReader',
  'postMessage',
  'MessageChannel',
  'MessagePort',
  'BroadcastChannel',
  'Worker',
  'SharedWorker',
  'addEventListener',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'requestAnimationFrame',
  'requestIdleCallback',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'indexedDB',
  'caches',
  'localStorage',
  'crypto',
  'performance',
  'Date',
  'Intl',
  'Temporal',
  'structuredClone',
  'gpu',
  'OffscreenCanvas',
  'scriptArgs',
  'std',
  'os',
  'bjson',
  'gc',
]

const ESCAPES: HostileProgram[] = [
  {
    name: 'looking for everything that a host has',
    source: f(
      `return [${HOST_NAMES.map((name) => `typeof ${name}`).join()}].filter((type) => type !== 'undefined').length`,
    ),
    test: expecting(0),
    verdict: 'passed',
  },
  {
    name: 'only the language among the globals',
    source: f(
      `return Object.getOwnPropertyNames(globalThis).filter((name) => ${JSON.stringify(HOST_NAMES)}.includes(name))`,
    ),
    test: expecting([]),
    verdict: 'passed',
  },
  {
    name: 'Function for the global object of the host',
    source: f("return typeof Function('return this')().process"),
    test: expecting('undefined'),
    verdict: 'passed',
  },
  {
    name: 'the constructor of a constructor',
    source: f("return typeof f.constructor.constructor('return this')().postMessage"),
    test: expecting('undefined'),
    verdict: 'passed',
  },
  {
    name: 'the constructor of an argument',
    source: "function f(x) { return x.constructor.constructor('return globalThis')() === globalThis }",
    test: { kind: 'call', functionName: 'f', arguments: [{ a: [] }], expected: true },
    verdict: 'passed',
  },
  {
    name: 'the constructors of print and console',
    source: f(
      "return [print, console.log, readline, input].every((g) => g.constructor('return globalThis')() === globalThis)",
    ),
    test: expecting(true),
    verdict: 'passed',
  },
  {
    name: 'constructors of all kinds of functions',
    source: f(
      "return [() => {}, async () => {}, function* () {}, async function* () {}].map((g) => { try { return typeof g.constructor('return typeof fetch')() } catch (e) { return e.name } })",
    ),
    test: expecting(['string', 'object', 'object', 'object']),
    verdict: 'passed',
  },
  {
    name: 'indirect eval for the global object of the host',
    source: f("return typeof (0, eval)('this').importScripts"),
    test: expecting('undefined'),
    verdict: 'passed',
  },
  {
    name: 'this at the top',
    source:
      "const top = this; function f() { return top === globalThis && typeof top.constructor.constructor('return process') }",
    test: expecting('function'),
    verdict: 'passed',
  },
  { name: 'calling process', source: f('return process.exit(0)'), verdict: 'runtime error', message: 'ReferenceError' },
  {
    name: 'calling fetch',
    source: f("return fetch('http://localhost/')"),
    verdict: 'runtime error',
    message: 'ReferenceError',
  },
  {
    name: 'calling postMessage',
    source: f("postMessage('hello'); return 42"),
    verdict: 'runtime error',
    message: 'ReferenceError',
  },
  {
    name: 'calling setTimeout',
    source: f('setTimeout(() => {}, 0); return 42'),
    verdict: 'runtime error',
    message: 'ReferenceError',
  },
  {
    name: 'compiling WebAssembly',
    source: f('return new WebAssembly.Memory({ initial: 1 })'),
    verdict: 'runtime error',
    message: 'ReferenceError',
  },
  {
    name: 'waiting on shared memory',
    source: f('Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)'),
    verdict: 'runtime error',
    message: 'ReferenceError',
  },
  { name: 'importing a module', source: "import fs from 'fs'; function f() { return 42 }", verdict: 'syntax error' },
  {
    name: 'importing a module later',
    source: "async function f() { return (await import('fs')).default }",
    verdict: 'runtime error',
  },
  {
    name: 'importing an address later',
    source: "async function f() { return await import('http://localhost/x.js') }",
    verdict: 'runtime error',
  },
  { name: 'the meta properties of a module', source: f('return import.meta.url'), verdict: 'syntax error' },
  {
    name: 'the caller of a function',
    source: 'function f() { return [f.caller ?? null, arguments.callee.caller ?? null] }',
    test: expecting([null, null]),
    verdict: 'passed',
  },
  {
    name: 'a stack trace that looks for the host',
    source:
      "Error.prepareStackTrace = (e, frames) => frames; function f() { return /file:|http|worker|node_modules/.test(String(new Error('x').stack)) }",
    test: expecting(false),
    verdict: 'passed',
  },
  {
    name: 'a random number that differs',
    source: f('return [Math.random(), Math.random()].map((x) => Math.floor(x * 1000))'),
    test: expecting([]),
    verdict: 'wrong answer',
  },
]

const RESULTS: HostileProgram[] = [
  { name: 'a result that is undefined', source: f(''), verdict: 'wrong answer' },
  { name: 'a result that is not a number', source: f('return NaN'), test: expecting(null), verdict: 'wrong answer' },
  {
    name: 'a result that is infinite',
    source: f('return [Infinity]'),
    test: expecting([null]),
    verdict: 'wrong answer',
  },
  { name: 'a large integer for a number', source: f('return 42n'), verdict: 'wrong answer' },
  { name: 'a symbol', source: f("return Symbol('42')"), verdict: 'wrong answer' },
  { name: 'a function', source: f('return () => 42'), verdict: 'wrong answer' },
  { name: 'a map', source: f('return new Map([[1, 2]])'), test: expecting({}), verdict: 'wrong answer' },
  { name: 'a number in an object', source: f('return new Number(42)'), verdict: 'wrong answer' },
  {
    name: 'a typed array',
    source: f('return new Int32Array([4, 2])'),
    test: expecting([4, 2]),
    verdict: 'wrong answer',
  },
  {
    name: 'an instance of a class with the right properties',
    source: f('class P { x = 42 } return new P()'),
    test: expecting({ x: 42 }),
    verdict: 'wrong answer',
  },
  {
    name: 'a valueOf that returns 42',
    source: f('return { valueOf: () => 42, toString: () => "42" }'),
    verdict: 'wrong answer',
  },
  { name: 'a toJSON that returns 42', source: f('return { toJSON: () => 42 }'), verdict: 'wrong answer' },
  { name: 'a result that contains itself', source: f('const o = {}; o.o = o; return o'), verdict: 'wrong answer' },
  {
    name: 'an accessor that returns 42',
    source: f('return { get x() { return 42 } }'),
    test: expecting({ x: 42 }),
    verdict: 'wrong answer',
  },
  {
    name: 'an accessor that never ends',
    source: f('return { get x() { for (;;); } }'),
    test: expecting({ x: 42 }),
    verdict: 'wrong answer',
  },
  {
    name: 'an element that is an accessor',
    source: f('return Object.defineProperty([1], 0, { get: () => 42 })'),
    test: expecting([42]),
    verdict: 'wrong answer',
  },
  { name: 'a hole in an array', source: f('return [, 42]'), test: expecting([null, 42]), verdict: 'wrong answer' },
  {
    name: 'a proxy whose traps never end',
    source: f('return new Proxy({}, { ownKeys() { for (;;); } })'),
    test: expecting({}),
    verdict: 'time limit',
  },
  {
    name: 'a proxy with a missing prototype',
    source: f('return new Proxy({}, { getPrototypeOf() { throw new Error("no") } })'),
    test: expecting({}),
    verdict: 'runtime error',
    message: 'no',
  },
  {
    name: 'a proxy that changes while it is read',
    source: f(
      'let n = 0; return new Proxy([0, 0], { getOwnPropertyDescriptor: (t, k) => k === "length" ? Reflect.getOwnPropertyDescriptor(t, k) : ({ value: n++, writable: true, enumerable: true, configurable: true }) })',
    ),
    test: expecting([0, 1]),
    verdict: 'passed',
  },
  {
    name: 'a proxy of an array with more elements than it has',
    source: f('return new Proxy([42], { get: () => 43 })'),
    test: expecting([43]),
    verdict: 'wrong answer',
  },
  {
    name: 'a revoked proxy',
    source: f('const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy'),
    verdict: 'runtime error',
  },
  {
    name: 'a property named __proto__',
    source: f('return JSON.parse(\'{"__proto__": 42}\')'),
    test: expecting({}),
    verdict: 'wrong answer',
  },
  { name: 'a generator', source: 'function* f() { return 42 }', verdict: 'wrong answer' },
  { name: 'a promise of the answer', source: 'async function f() { await null; return 42 }', verdict: 'passed' },
  {
    name: 'a promise that is never settled',
    source: f('return new Promise(() => {})'),
    verdict: 'runtime error',
    message: 'never settled',
  },
  {
    name: 'a promise that is rejected',
    source: "async function f() { throw new RangeError('too far') }",
    verdict: 'runtime error',
    message: 'RangeError: too far',
  },
  {
    name: 'a promise of a promise that is rejected',
    source: "function f() { return Promise.resolve(Promise.reject(new Error('later'))) }",
    verdict: 'runtime error',
    message: 'later',
  },
  {
    name: 'a thenable that returns 42',
    source: f('return { then(resolve) { resolve(42) } }'),
    verdict: 'wrong answer',
  },
  {
    name: 'an error whose message never ends',
    source: f('throw { get message() { for (;;); } }'),
    verdict: 'runtime error',
    message: 'cannot be described',
  },
  {
    name: 'an error whose message throws',
    source: f('throw { get message() { throw 1 } }'),
    verdict: 'runtime error',
    message: 'cannot be described',
  },
  {
    name: 'an error that is a proxy',
    source: f('throw new Proxy({}, { get() { throw 1 } })'),
    verdict: 'runtime error',
    message: 'cannot be described',
  },
  {
    name: 'an error with a long message',
    source: f("throw new Error('x'.repeat(1e6))"),
    verdict: 'runtime error',
    message: 'Error: xxx',
  },
  { name: 'nothing thrown', source: f('throw undefined'), verdict: 'runtime error', message: 'undefined' },
  { name: 'null thrown', source: f('throw null'), verdict: 'runtime error', message: 'null' },
  {
    name: 'a syntax error thrown',
    source: f("throw new SyntaxError('just so')"),
    verdict: 'runtime error',
    message: 'just so',
  },
  {
    name: 'a syntax error in what it evaluates',
    source: "eval('('); function f() {}",
    verdict: 'runtime error',
    message: 'SyntaxError',
  },
  { name: 'no program at all', source: '', verdict: 'runtime error', message: 'ReferenceError' },
  { name: 'a program of noise', source: '\u0000\u0001 }{ ´', verdict: 'syntax error' },
  { name: 'a program that ends too early', source: 'function f() { return 42', verdict: 'syntax error' },
  {
    name: 'a value instead of the function',
    source: 'const f = 42',
    verdict: 'runtime error',
    message: 'not a function',
  },
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
  ].map(([name, body]): HostileProgram => ({
    name: name!,
    source: f(`${body}; return 42`),
    verdict: 'runtime error',
    message: 'ReferenceError',
  })),
  {
    name: 'an import from a text',
    source: 'async function f() { return (await Function(\'return import("fs")\')()).default }',
    verdict: 'runtime error',
  },
  {
    name: 'a failed import whose catch never ends',
    source: "import('fs').catch(() => { for (;;); }); function f() { return 42 }",
    verdict: 'time limit',
  },
  {
    name: 'globals of the same names, which are harmless',
    source:
      "globalThis.postMessage = globalThis.close = globalThis.onmessage = () => 42; globalThis.fetch = async () => 42; async function f() { postMessage('x'); close(); return await fetch('') }",
    verdict: 'passed',
  },
  {
    name: 'a finaliser that would run with the next program',
    source: `
      globalThis.registry = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry(() => { for (;;); }) : null
      function f() { for (let i = 0; i < 1000; i++) registry?.register({}, i); return 42 }
    `,
    verdict: 'passed',
  },
  {
    name: 'reactions that would run with the next program',
    source: 'Promise.resolve().then(() => { globalThis.print = null; JSON.parse = null }); function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'a reaction that removes the function',
    source: 'function f() { return 41 } Promise.resolve().then(() => { globalThis.f = () => 42 })',
    verdict: 'passed',
  },
  {
    name: 'a promise of a class that settles twice',
    source:
      'class P extends Promise { then(a, b) { a?.(42); b?.(1); return super.then(a, b) } } function f() { return P.resolve(41) }',
    verdict: 'wrong answer',
  },
  {
    name: 'a promise with a false constructor',
    source:
      "function f() { const p = Promise.resolve(41); Object.defineProperty(p, 'constructor', { get() { throw 1 } }); p.then = (go) => go(42); return p }",
    verdict: 'wrong answer',
  },
  {
    name: 'an async generator whose return is awaited forever',
    source:
      'async function* g() { try { yield 1 } finally { await new Promise(() => {}) } } async function f() { const it = g(); await it.next(); await it.return(); return 42 }',
    verdict: 'runtime error',
    message: 'never settled',
  },
  {
    name: 'a generator that continues from its own finally',
    source: f(
      'const g = (function* () { for (;;) try { yield 1 } finally { continue } })(); for (let i = 0; ; i++) g.return()',
    ),
    verdict: 'time limit',
  },
  {
    name: 'a result that is a generator of results',
    source: f('return { ...(function* () { yield 42 })() }'),
    test: expecting([42]),
    verdict: 'wrong answer',
  },
]

const MORE_POLLUTION: HostileProgram[] = [
  {
    name: 'a prototype for Object.prototype',
    source: 'Object.setPrototypeOf(Array.prototype, { x: 42 }); function f() { return [] }',
    test: expecting([42]),
    verdict: 'wrong answer',
  },
  {
    name: 'a key of Object.prototype in the answer',
    source: 'Object.prototype.x = 42; function f() { return {} }',
    test: expecting({ x: 42 }),
    verdict: 'wrong answer',
  },
  {
    name: 'a key of Object.prototype beside the answer',
    source: 'Object.prototype.x = 41; Array.prototype[0] = 41; function f() { return { y: [42] } }',
    test: expecting({ y: [42] }),
    verdict: 'passed',
  },
  {
    name: 'arguments that are polluted before they are read',
    source:
      'Object.defineProperty(Object.prototype, "0", { get: () => 41, set() {} }); Object.prototype.length = 0; function f(x) { return x }',
    test: { kind: 'call', functionName: 'f', arguments: [[42]], expected: [42] },
    verdict: 'passed',
  },
  {
    name: 'names that the judge uses',
    source:
      'var apply = 1, parse = 2, stringify = 3, given = 4, fault = 5, encoded = 6, plain = 7; const begin = 8; function invoke() { return 41 } function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'redefined undefined, NaN and globalThis',
    source:
      'try { undefined = 1; NaN = 2; Infinity = 3 } catch {} globalThis.globalThis = {}; var Object = null, Array = null, JSON = null; function f() { return 42 }',
    verdict: 'passed',
  },
  {
    name: 'a Symbol.toPrimitive on every kind of value',
    source:
      'for (const C of [Number, String, Boolean, Object]) C.prototype[Symbol.toPrimitive] = () => { throw 1 }; function f() { return [42, "x"] }',
    test: expecting([42, 'x']),
    verdict: 'passed',
  },
  {
    name: 'a false Symbol.isConcatSpreadable and Symbol.hasInstance',
    source:
      'Array.prototype[Symbol.isConcatSpreadable] = false; class X { x = 42; static [Symbol.hasInstance]() { return true } } Object.defineProperty(Object, Symbol.hasInstance, { value: () => true }); function f() { return new X() }',
    test: expecting({ x: 42 }),
    verdict: 'wrong answer',
  },
]

const MORE_EXHAUSTION: HostileProgram[] = [
  {
    name: 'a buffer that grows step by step',
    source: f('const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); for (let i = 4; ; i++) b.resize(2 ** i)'),
    verdict: 'memory limit',
  },
  {
    name: 'an integer of a billion bits',
    source: f('return 1n << 2n ** 30n'),
    verdict: 'runtime error',
  },
  {
    name: 'strings joined to 2^53 letters',
    source: f("let s = 'x'; for (let i = 0; i < 60; i++) s += s; return s.length"),
    verdict: 'runtime error',
  },
  {
    name: 'a pattern of a million groups',
    source: f("return new RegExp('(a)'.repeat(1e6)).test('a')"),
    verdict: 'runtime error',
  },
  {
    name: 'a regular expression that never advances',
    source: f("const r = /(?:)/y; for (;;) { r.lastIndex = 0; 'x'.match(r) }"),
    verdict: 'time limit',
  },
  {
    name: 'a tagged template with a million parts',
    source: f("return eval('String.raw`' + '${1}'.repeat(1e6) + '`').length"),
    verdict: 'memory limit',
  },
  {
    name: 'a function of a million arguments',
    source: f('return Math.max(...new Array(1e6).fill(1))'),
    verdict: 'memory limit',
  },
  {
    name: 'a function applied to 2^32 arguments',
    source: f('return Math.max.apply(null, { length: 2 ** 32 - 1 })'),
    verdict: 'runtime error',
  },
  {
    name: 'endless labels and switches',
    source: f('out: for (;;) switch (0) { default: for (;;) continue out }'),
    verdict: 'time limit',
  },
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
