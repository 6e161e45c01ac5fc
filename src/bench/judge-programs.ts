/** Programs to measure the judge with: some as small as a small model's, others busy with one kind of work. */
import type { Json, PlainTest } from '../worlds/coding/judge/verdict.ts'

export interface JudgedProgram {
  name: string
  source: string
  tests: readonly PlainTest[]
}

function calls(functionName: string, pairs: readonly (readonly [Json[], Json])[]): PlainTest[] {
  return pairs.map(([args, expected]) => ({ kind: 'call', functionName, arguments: args, expected }))
}

function texts(pairs: readonly (readonly [string, string])[]): PlainTest[] {
  return pairs.map(([input, expected]) => ({ kind: 'stdio', input, expected }))
}

/** Each passes all of its four tests. */
export const SMALL_PROGRAMS: readonly JudgedProgram[] = [
  {
    name: 'two numbers with a sum',
    source: `function twoSum(numbers, target) {
  const seen = new Map()
  for (let i = 0; i < numbers.length; i++) {
    const other = seen.get(target - numbers[i])
    if (other !== undefined) return [other, i]
    seen.set(numbers[i], i)
  }
  return []
}`,
    tests: calls('twoSum', [
      [
        [[2, 7, 11, 15], 9],
        [0, 1],
      ],
      [
        [[3, 2, 4], 6],
        [1, 2],
      ],
      [
        [[3, 3], 6],
        [0, 1],
      ],
      [[[1, 2], 9], []],
    ]),
  },
  {
    name: 'palindrome',
    source: `const isPalindrome = (text) => {
  const letters = text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return letters === [...letters].reverse().join('')
}`,
    tests: calls('isPalindrome', [
      [['A man, a plan, a canal: Panama'], true],
      [['race a car'], false],
      [[' '], true],
      [['0P'], false],
    ]),
  },
  {
    name: 'groups of anagrams',
    source: `function groupAnagrams(words) {
  const groups = {}
  for (const word of words) {
    const key = word.split('').sort().join('')
    ;(groups[key] ??= []).push(word)
  }
  return Object.values(groups)
}`,
    tests: calls('groupAnagrams', [
      [[['eat', 'tea', 'tan', 'ate', 'nat', 'bat']], [['eat', 'tea', 'ate'], ['tan', 'nat'], ['bat']]],
      [[['']], [['']]],
      [[['a']], [['a']]],
      [[['ab', 'ba', 'abc']], [['ab', 'ba'], ['abc']]],
    ]),
  },
  {
    name: 'longest increasing run',
    source: `function longestRun(values) {
  let best = 0
  let run = 0
  for (let i = 0; i < values.length; i++) {
    run = i > 0 && values[i] > values[i - 1] ? run + 1 : 1
    best = Math.max(best, run)
  }
  return best
}`,
    tests: calls('longestRun', [
      [[[1, 3, 5, 4, 7]], 3],
      [[[2, 2, 2]], 1],
      [[[]], 0],
      [[[5, 6, 7, 8]], 4],
    ]),
  },
  {
    name: 'ways to climb stairs',
    source: `const memo = {}
function climb(n) {
  if (n <= 2) return n
  return memo[n] ?? (memo[n] = climb(n - 1) + climb(n - 2))
}`,
    tests: calls('climb', [
      [[2], 2],
      [[10], 89],
      [[30], 1346269],
      [[45], 1836311903],
    ]),
  },
  {
    name: 'sum of lines',
    source: `const n = Number(input())
let sum = 0
for (let i = 0; i < n; i++) sum += Number(input())
print(sum)`,
    tests: texts([
      ['3\n1\n2\n3\n', '6'],
      ['1\n-5\n', '-5'],
      ['0\n', '0'],
      ['4\n10\n20\n30\n40', '100'],
    ]),
  },
  {
    name: 'counted words',
    source: `const counts = {}
for (const word of readline().split(' ')) counts[word] = (counts[word] ?? 0) + 1
for (const word of Object.keys(counts).sort()) console.log(word, counts[word])`,
    tests: texts([
      ['b a b', 'a 1\nb 2'],
      ['x', 'x 1'],
      ['to be or not to be', 'be 2 not 1 or 1 to 2'],
      ['c b a c b c', 'a 1 b 2 c 3'],
    ]),
  },
  {
    name: 'primes up to a limit',
    source: `const limit = Number(readline())
const isComposite = new Uint8Array(limit + 1)
const primes = []
for (let i = 2; i <= limit; i++) {
  if (isComposite[i]) continue
  primes.push(i)
  for (let j = i * i; j <= limit; j += i) isComposite[j] = 1
}
print(primes.join(' '))`,
    tests: texts([
      ['10', '2 3 5 7'],
      ['2', '2'],
      ['30', '2 3 5 7 11 13 17 19 23 29'],
      ['50', '2 3 5 7 11 13 17 19 23 29 31 37 41 43 47'],
    ]),
  },
]

/** Each passes as well, and runs long enough to show the cost of metering. */
export const BUSY_PROGRAMS: readonly JudgedProgram[] = [
  {
    name: 'recursive calls',
    source: 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); print(f(22))',
    tests: texts([['', '17711']]),
  },
  {
    name: 'loops over arrays',
    source: `const n = 60, a = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => i ^ j))
let sum = 0
for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) sum += a[i][k] * a[k][j]
print(sum)`,
    tests: texts([['', '212802160']]),
  },
  {
    name: 'sorting',
    source: `const a = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011)
print(a.sort((x, y) => x - y)[10_000])`,
    tests: texts([['', '10006']]),
  },
  {
    name: 'a map of strings',
    source: `const counts = new Map()
for (let i = 0; i < 30_000; i++) counts.set('k' + (i % 977), (counts.get('k' + (i % 977)) ?? 0) + 1)
print(counts.size, counts.get('k5'))`,
    tests: texts([['', '977 31']]),
  },
]

/** Each runs forever in another part of the engine. */
export const ENDLESS_PROGRAMS: readonly { name: string; source: string }[] = [
  { name: 'a loop', source: 'let x = 0; for (;;) x = (x * 31 + 7) | 0' },
  { name: 'calls', source: 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); for (;;) f(20)' },
  { name: 'objects', source: 'for (;;) { const all = []; for (let i = 0; i < 1000; i++) all.push({ x: i, y: [i] }) }' },
  { name: 'strings', source: "for (;;) { let s = ''; for (let i = 0; i < 1000; i++) s += 'ab' + i }" },
  { name: 'maps', source: "const m = new Map(); for (let i = 0; ; i++) m.set('k' + (i % 5000), i)" },
  {
    name: 'sorting',
    source:
      'const a = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003); for (;;) [...a].sort((x, y) => x - y)',
  },
  { name: 'a regular expression', source: "/^(a+)+$/.test('a'.repeat(60) + '!')" },
  { name: 'large integers', source: 'const x = (1n << 200000n) - 1n, y = (1n << 100000n) + 3n; for (;;) x % y' },
  { name: 'one native call', source: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)' },
  { name: 'copying', source: 'const a = new Uint8Array(4e6); for (;;) a.slice()' },
  { name: 'promises', source: '(async () => { for (;;) await null })()' },
]
