import { expect, it } from 'vitest'
import { parsePublishArguments } from '../../../src/cli/publish/arguments.ts'

const parse = (line: string) => parsePublishArguments(line.split(' '))

it('a log is published whole, or one part of it within bounds', () => {
  expect(parse('run.jsonl')).toEqual({ source: 'run.jsonl', bounds: {} })
  expect(parse('run.jsonl out.gz --tokens --last 9 --every 3')).toEqual({
    source: 'run.jsonl',
    out: 'out.gz',
    part: 'tokens',
    bounds: { last: 9, every: 3 },
  })
  expect(parse('run.jsonl --before-after')).toMatchObject({ part: 'before-after' })
  expect(parse('--help')).toBeNull()
})

it.each([
  ['a b c', '"c" is one file too many'],
  ['a --episode --tokens', '--episode and --tokens keep different parts; choose one.'],
  ['a --tokens --before-after', '--tokens and --before-after keep different parts; choose one.'],
  ['a --before-after --groups 2', '--groups has no use with --before-after'],
  ['a --last 0', '--last must be a whole number from 1'],
  ['--tokens', 'Name the log to publish'],
])('publish %s is refused', (line, why) => expect(() => parse(line)).toThrow(why))
