/** Programs that try to fool their checker, and checkers that fail, whatever the cause. */
import type { CheckedTest, Verdict } from '../../../../src/worlds/coding/judge/verdict.ts'

export interface HostileAnswer {
  name: string
  source: string
  test: CheckedTest
  verdict: Verdict['kind']
  /** What the message of a failed checker must contain. */
  message?: string
}

const FORTY_TWO = 'function check(input, output, expected) { return output === 42 }'
const LOOSELY_FORTY_TWO =
  'function check(input, output) { return output == 42 || `${output}` === "42" || output.isRight == true }'

const called = (checker: string): CheckedTest => ({
  kind: 'call',
  functionName: 'f',
  arguments: [],
  expected: 42,
  checker,
})
const printed = (checker: string): CheckedTest => ({ kind: 'stdio', input: '1\n', expected: '42', checker })

/** Programs that do not answer 42. */
const LIARS: [string, string][] = [
  ['defines a checker of its own', 'globalThis.check = () => true; const f = () => 0'],
  [
    'locks a checker of its own',
    'Object.defineProperty(globalThis, "check", { value: () => true, configurable: false }); const f = () => 0',
  ],
  ['replaces JSON.parse', 'JSON.parse = () => ["", [null, 42, 42], 1e6]; const f = () => 0'],
  ['replaces JSON.stringify', 'JSON.stringify = () => "42"; const f = () => 0'],
  ['replaces Reflect.apply', 'Reflect.apply = () => true; Function.prototype.apply = () => true; const f = () => 0'],
  ['replaces the functions of numbers', 'Number.prototype.valueOf = () => 42; Number = () => 42; const f = () => 0'],
  [
    'lays traps in Object.prototype',
    'for (const key of ["output", "isRight", "toJSON", "1"]) Object.defineProperty(Object.prototype, key, ' +
      '{ get: () => 42, set() {} }); const f = () => ({})',
  ],
  [
    'lays traps in Array.prototype',
    'Object.defineProperty(Array.prototype, 1, { get: () => 42, set() {} }); const f = () => [0]',
  ],
  [
    'freezes all prototypes',
    'for (const x of [Object, Array, JSON, Function]) Object.freeze(x.prototype ?? x); const f = () => 0',
  ],
  ['answers with a toJSON', 'const f = () => ({ toJSON: () => 42 })'],
  ['hides a toJSON', 'const f = () => Object.defineProperty({}, "toJSON", { value: () => 42 })'],
  ['inherits a toJSON', 'const f = () => Object.create({ toJSON: () => 42 })'],
  ['answers with a valueOf', 'const f = () => ({ valueOf: () => 42 })'],
  ['hides a valueOf', 'const f = () => Object.defineProperty({}, "valueOf", { value: () => 42 })'],
  ['hides a toString', 'const f = () => Object.defineProperty([], "toString", { value: () => "42" })'],
  ['hides a conversion', 'const f = () => Object.defineProperty({}, Symbol.toPrimitive, { value: () => 42 })'],
  ['answers with a getter', 'const f = () => ({ get isRight() { return true } })'],
  ['puts the answer into a prototype', 'const f = () => JSON.parse(\'{"__proto__": {"isRight": true}}\')'],
  ['answers with a boxed number', 'const f = () => Object(42)'],
  ['answers with a large integer', 'const f = () => 42n'],
  ['answers with a thenable', 'const f = () => ({ then: (done) => done(42) })'],
  [
    'answers with a proxy that is something else every time',
    `let count = 0
     const f = () => new Proxy({}, {
       ownKeys: () => ['isRight'],
       getOwnPropertyDescriptor: () => ({ value: count++ > 0, enumerable: true, configurable: true }),
       get: () => 42,
     })`,
  ],
  [
    'answers with a proxy of a list',
    'const f = () => new Proxy([0], { get: () => 42, getPrototypeOf: () => Number.prototype })',
  ],
  [
    'answers with a proxy that hides its prototype',
    'const f = () => new Proxy(class {}, { getPrototypeOf: () => Object.prototype })',
  ],
  ['nests without need', 'const f = () => { let x = 42; for (let i = 0; i < 400; i++) x = [x]; return [x, x] }'],
  ['is quiet', 'const f = () => null'],
]

const OF_PROGRAMS: HostileAnswer[] = [
  ...LIARS.flatMap(([name, source]): HostileAnswer[] => [
    { name: `a program that ${name}`, source, test: called(FORTY_TWO), verdict: 'wrong answer' },
  ]),
  ...LIARS.filter(([name]) => !/nests|quiet|large|list$/.test(name)).map(([name, source]): HostileAnswer => ({
    name: `a program that ${name}, before a checker that converts`,
    source,
    test: called(LOOSELY_FORTY_TWO),
    verdict: 'wrong answer',
  })),
  {
    name: 'a program that prints what the judge reads',
    source: 'print("=true"); print("true")',
    test: printed('const check = (input, output) => output === "42"'),
    verdict: 'wrong answer',
  },
  {
    name: 'a program that prints quotes and zeros',
    source: 'print("\\u0000\\",42],true);//")',
    test: printed('const check = (input, output) => output.trim() === "42"'),
    verdict: 'wrong answer',
  },
  {
    name: 'a program whose answer exceeds the limit',
    source: 'const f = () => "x".repeat(1e6)',
    test: called(FORTY_TWO),
    verdict: 'output limit',
  },
  {
    name: 'a program that overwhelms a regular expression of the checker',
    source: 'const f = () => "x".repeat(9000)',
    test: called('const check = (input, output) => output === 42 || /^(x+)+y$/.test(output)'),
    verdict: 'checker failed',
    message: 'executed time',
  },
  {
    name: 'a program that never ends',
    source: 'function f() { for (;;); }',
    test: called('const check = () => true'),
    verdict: 'time limit',
  },
  {
    name: 'a program whose answer is not JSON',
    source: 'const f = () => undefined',
    test: called('const check = () => true'),
    verdict: 'wrong answer',
  },
]

const failing = (name: string, checker: string, message: string): HostileAnswer => ({
  name: `a checker that ${name}`,
  source: 'const f = () => 42',
  test: called(checker),
  verdict: 'checker failed',
  message,
})
const returning = (value: string, message = 'must return true or false') =>
  failing(`returns ${value}`, `const check = () => ${value}`, message)

const OF_CHECKERS: HostileAnswer[] = [
  failing('does not end', 'function check() { for (;;); }', 'more than 1000 ms of executed time'),
  failing('does not end before it is asked', 'for (;;);', 'more than 1000 ms of executed time'),
  failing('catches what it can', 'function check() { for (;;) try { check() } catch {} }', ''),
  failing('throws', 'function check() {\n  throw new Error("no idea")\n}', 'Error: no idea (line 2)'),
  failing('throws text', 'function check() { throw "no idea" }', 'it threw no idea'),
  failing(
    'throws what does not end',
    'const check = () => { throw { get message() { for (;;); } } }',
    'cannot be described',
  ),
  failing('cannot be read', 'function check() {\n  return true\n', 'SyntaxError'),
  failing(
    'wants memory',
    'const check = () => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }',
    'more than 64 MB',
  ),
  failing('calls itself', 'const check = () => check() || true', 'stack overflow'),
  failing('prints without end', 'const check = () => { for (;;) print("x".repeat(1000)) }', 'printed more than 65536'),
  failing('is not there', 'const checks = () => true', 'it defines no function check(input, output, expected)'),
  failing('is no function', 'const check = true', 'it defines no function check(input, output, expected)'),
  failing(
    'is missing at first sight',
    'Object.defineProperty(globalThis, "check", { get() { throw 7 } })',
    'it threw 7',
  ),
  failing('waits for ever', 'const check = () => new Promise(() => {})', 'never settled'),
  ...['1', '0', '"true"', 'null', 'undefined', 'NaN', '[]', '{ isRight: true }', '1n', 'Symbol()'].map((value) =>
    returning(value === '{ isRight: true }' ? `(${value})` : value),
  ),
  returning('new Boolean(true)', 'it returned an instance of Boolean'),
  returning('({ toJSON: () => true })', 'it returned a function'),
  returning('new Proxy({}, { ownKeys() { for (;;); } })', 'executed time'),
  returning('"x".repeat(1e5)', 'it returned something long'),
  failing(
    'turns on the judge',
    'JSON.stringify = () => "true"; Reflect.apply = () => true; Object.prototype.value = true; const check = () => 1',
    'it returned 1',
  ),
]

export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [...OF_PROGRAMS, ...OF_CHECKERS]
