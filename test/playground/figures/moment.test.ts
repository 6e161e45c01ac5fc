import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  equationWithoutLambda,
  firstSentence,
  lambdaAt,
  loopFrames,
  LOOP_MS,
  momentRows,
  shareOf,
  stepSentence,
  stopsFor,
  wrapped,
  writeLambda,
} from '../../../src/playground/figures/moment.ts'
import { LAMBDA_STOPS } from '../../../src/playground/run/lambda-stops.ts'
import { tellingEpisode } from '../../../src/runs/telling-episode.ts'
import { recordedHousehold } from '../recorded-household.ts'

describe('the loop of a moment', () => {
  it('lasts ten seconds, and goes from λ = 0 to 1 and back without a jump', () => {
    const frames = loopFrames()
    expect(frames.reduce((sum, { ms }) => sum + ms, 0)).toBe(LOOP_MS)
    const shares = [...frames, frames[0]!].map(({ lambda }) => shareOf(lambda))
    expect(Math.max(...frames.map(({ lambda }) => lambda))).toBe(1)
    for (let i = 1; i < shares.length; i++) expect(Math.abs(shares[i]! - shares[i - 1]!)).toBeLessThan(0.07)
    // GIF counts in hundredths of a second.
    for (const { ms } of frames) expect(ms % 10).toBe(0)
  })

  it('has λ where the slider has it', () => {
    LAMBDA_STOPS.forEach((stop, i) => expect(shareOf(stop)).toBe(i / (LAMBDA_STOPS.length - 1)))
    expect(shareOf(9)).toBe(1)
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(shareOf(lambdaAt(share))).toBeCloseTo(share, 9)
      }),
    )
    expect([0.5, 2, 0.777].map(writeLambda)).toEqual(['½', '2', '0.78'])
  })
})

it('gives a λ above the last stop a place of its own', () => {
  expect([5, 9].map(stopsFor)).toEqual([LAMBDA_STOPS, [...LAMBDA_STOPS, 9]])
  expect([2, 5, 9].map((lambda) => shareOf(lambda, stopsFor(9)))).toEqual([0.6, 0.8, 1])
})

describe('a picture of a step', () => {
  it('has at most ten rows, with the chosen one among them', () => {
    const telling = tellingEpisode(recordedHousehold())!
    const { group } = telling
    group.episodes.forEach(({ episode: { steps } }, trajectory) => {
      steps.forEach((_, step) => {
        const { tiles, chosen, before, after } = momentRows({ ...telling, trajectory, step }, 1)
        expect(tiles).toContain(chosen)
        expect(chosen.step).toBe(step)
        expect(tiles.length).toBe(Math.min(10, steps.length))
        expect(before + tiles.length + after).toBe(steps.length)
        expect(tiles[0]!.number).toBe(before + 1)
      })
    })
  })

  it('says what the step is worth under a λ, with its sign', () => {
    const telling = tellingEpisode(recordedHousehold())!
    expect(stepSentence(telling, 0)).toMatch(
      /^At λ = 0, step \d+ “.+” has the advantage \+\d\.\d\d and is encouraged\.$/,
    )
    expect(stepSentence(telling, 1)).toMatch(/ has the advantage −\d\.\d\d and is discouraged\.$/)
  })

  it('has no λ where the run has none', () => {
    const telling = tellingEpisode(recordedHousehold())!
    expect(equationWithoutLambda(telling)).toBeNull()
    for (const [signal, equation] of [
      ['outcome', 'R = O'],
      ['step', 'R = mean S'],
    ] as const) {
      const without = { ...telling, settings: { ...telling.settings, signal } }
      expect(equationWithoutLambda(without)).toBe(equation)
      expect(stepSentence(without, 1)).toMatch(/^Step \d+ “.+” /)
      const [a, b] = [0, 1].map((lambda) => momentRows(without, lambda).tiles)
      expect(a!.map(({ advantage }) => advantage)).toEqual(b!.map(({ advantage }) => advantage))
    }
  })

  it('breaks its text between words', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^\S{1,12}$/)), (words) => {
        const lines = wrapped(words.join(' '), 20)
        expect(lines.join(' ')).toBe(words.join(' '))
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(20)
      }),
    )
    expect(firstSentence('cool some mug. Hint: it is far.')).toBe('Cool some mug.')
  })
})
