import { expect, it } from 'vitest'
import { parseExperiment } from '../../../src/cli/experiments/arguments.ts'

const parse = (line: string) => parseExperiment(line.split(' ').filter(Boolean))

it('an experiment takes its own options, or logs', () => {
  expect(parse('memory --iterations 20 --every 10')).toEqual({
    name: 'memory',
    values: { iterations: '20', every: '10' },
  })
  expect(parse('votes a.jsonl b.jsonl.gz')).toEqual({ name: 'votes', logs: ['a.jsonl', 'b.jsonl.gz'] })
})

it.each([
  ['kinds a.jsonl --seeds 3', '--seeds has no use with kinds, which takes no options.'],
  ['log-size --preset coding', '--preset has no use with log-size, which takes --presets, --iterations.'],
  ['main-thread --minutes 3', '--minutes has no use with main-thread'],
  ['kinds', 'Name the logs: npm run experiments -- kinds'],
  ['memory learning', 'Unexpected argument "learning"'],
  ['constructor', 'There is no experiment "constructor".'],
  ['', 'Name an experiment.'],
])('experiments -- %s is refused', (line, why) => expect(() => parse(line)).toThrow(why))
