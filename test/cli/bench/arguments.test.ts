import { describe, expect, it } from 'vitest'
import { parseBenchArguments } from '../../../src/cli/bench/arguments.ts'

const parse = (line: string) => parseBenchArguments(line === '' ? [] : line.split(' '))

describe('the arguments of npm run bench', () => {
  it('choose suites and what they use, all by default', () => {
    expect(parse('')).toMatchObject({
      suites: { suites: ['generate', 'train', 'loop', 'environment', 'judge', 'cores'], places: ['node', 'chromium'] },
    })
    expect(parse('--suite train --in chromium --json')).toMatchObject({
      suites: { suites: ['train'], places: ['chromium'], isJson: true },
    })
    expect(parse('--model 10m --suite train --in node')).toMatchObject({ suites: { model: '10m', places: ['node'] } })
    // Each for the suites that use it.
    expect(parse('--games g.zip --model 10m --in node')).toMatchObject({ suites: { games: 'g.zip', model: '10m' } })
  })

  it('go to the measurement of a graphics adapter with --gpu', () => {
    expect(parse('--gpu --browser /usr/bin/chromium --tiny --minutes 3')).toEqual({
      gpu: {
        isFolderOnly: false,
        hasNode: false,
        libraries: [],
        browser: '/usr/bin/chromium',
        rest: ['--minutes', '3', '--tiny'],
      },
    })
    expect(parse('--gpu --folder-only --platform linux-x64 --library a.so --library b.so')).toMatchObject({
      gpu: { isFolderOnly: true, platform: 'linux-x64', libraries: ['a.so', 'b.so'] },
    })
  })

  it.each([
    ['--tiny', '--tiny requires --gpu.'],
    ['--suite train --minutes 3', '--minutes requires --gpu.'],
    ['--library a.so', '--library requires --gpu.'],
    ['--gpu --suite train', '--suite has no use with --gpu.'],
    ['--gpu --json', '--json has no use with --gpu.'],
    ['--gpu --folder-only --tiny', '--tiny has no use with --folder-only'],
    ['--model 10m --in chromium', '--model measures in Node; omit --in chromium.'],
    ['--suite judge --model 10m', '--model is for generate, train, not for the suite judge.'],
    ['--suite loop --in node', '--in is for generate, train, cores, not for the suite loop.'],
    ['--suite train --games g.zip', '--games is for environment, not for the suite train.'],
    ['train', '"train" belongs to no option.'],
  ])('%s is refused', (line, why) => expect(() => parse(line)).toThrow(why))
})
