import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { flippedResult, isFlipped } from '../../src/method/vote-flips.ts'
import { logOf, ofType, request, smallSettings, world } from './corridor.ts'
import { codingSettings, codingWorld } from './test-writing/adding.ts'

const judged = async (voteFlips: number, iterations = 1) =>
  logOf(world(), request(smallSettings({ voteFlips, evaluateEvery: 0 }), { iterations }))
const votesOf = (log: readonly LoggedEvent[]) => ofType(log, 'judged').flatMap(({ votes }) => votes.flat())

describe('flipped votes', () => {
  it('are the share ε of all, and depend on seed and coordinates alone', () => {
    const draws = Array.from({ length: 20_000 }, (_, n) => [`i1/task-${n % 97}/0`, n % 31, n] as const)
    const flips = (seed: number) => draws.map((coordinates) => isFlipped({ voteFlips: 0.2, seed }, ...coordinates))
    const share = flips(3).filter(Boolean).length / draws.length
    // Four standard errors of a share of 0.2.
    expect(Math.abs(share - 0.2)).toBeLessThan((4 * Math.sqrt(0.16)) / Math.sqrt(draws.length))
    expect(flips(4)).not.toEqual(flips(3))
    // A larger ε flips what a smaller one flips, and more: the levels of a sweep are nested.
    const small = draws.filter((coordinates) => isFlipped({ voteFlips: 0.2, seed: 3 }, ...coordinates))
    expect(small.every((coordinates) => isFlipped({ voteFlips: 0.3, seed: 3 }, ...coordinates))).toBe(true)
  })

  it('are opposites of what the judge wrote, marked, and never unreadable ones', async () => {
    const [plain, flipped] = [await judged(0), await judged(0.4)]
    // The first rollouts and the judge's texts do not depend on ε.
    expect(ofType(flipped, 'episode')).toEqual(ofType(plain, 'episode'))
    const [before, after] = [votesOf(plain), votesOf(flipped)]
    expect(after.map(({ reasoning }) => reasoning)).toEqual(before.map(({ reasoning }) => reasoning))
    expect(before.some(({ score }) => score === 0)).toBe(true)
    before.forEach(({ score }, index) => {
      const { score: now, isFlipped: isMarked } = after[index]!
      expect(now === score).toBe(!isMarked)
      if (isMarked) expect(now).toBe(-score)
      if (score === 0) expect(now).toBe(0)
    })
    const readable = after.filter((_, index) => before[index]!.score !== 0)
    const share = readable.filter(({ isFlipped: isMarked }) => isMarked).length / readable.length
    expect(Math.abs(share - 0.4)).toBeLessThan(4 * Math.sqrt(0.24 / readable.length))
    expect(before.every((vote) => !('isFlipped' in vote))).toBe(true)
  })

  it('are what feedback and metrics read', async () => {
    const log = await judged(0.5)
    const episodes = ofType(log, 'episode').filter(({ split }) => split === 'train')
    const votes = new Map(ofType(log, 'judged').map((event) => [event.episodeId, event.votes]))
    for (const { episodeId, feedback } of ofType(log, 'advantages')) {
      const { outcome } = episodes.find((episode) => episode.episodeId === episodeId)!
      feedback.forEach((value, step) => {
        const ofStep = votes.get(episodeId)![step]!
        const scores = ofStep.map(({ score }) => score).filter((score) => score !== 0)
        const mean = scores.length > 0 ? scores.reduce<number>((sum, score) => sum + score, 0) / scores.length : 0
        expect(value).toBeCloseTo(outcome + mean, 9)
      })
    }
    let right = 0
    let all = 0
    for (const { episodeId, steps } of episodes) {
      steps.forEach(({ trueLabel }, step) => {
        for (const { score } of votes.get(episodeId)![step]!) {
          all++
          if (score === trueLabel) right++
        }
      })
    }
    const { metrics } = ofType(log, 'iteration-finished')[0]!
    expect(metrics['reward/process_acc']).toBeCloseTo(right / all, 9)
    // A coin, less the unreadable ones.
    expect(right / all).toBeLessThan(0.6)
  })

  it('are repeated on fixed trajectories, which a frozen judge is asked about again only for another ε', async () => {
    const steps = ['forward', 'wait', 'forward', 'forward'].map((command) => ({ response: command, command }))
    const [task] = await world().environment.sampleTasks('id', 1, 0)
    const fixed = { id: 'a', split: 'id', strength: 'weak', task: task!, steps, maxSteps: 4, outcome: -1, labels: '+-++' } as const // prettier-ignore
    const settings = smallSettings({ voteFlips: 0.4, trainReward: false, evaluateEvery: 1, evaluationsPerStep: 12 })
    const patches = [null, null, { voteFlips: 0 }]
    const rest = { iterations: 3, fixedTrajectories: [fixed], takePatch: () => patches.shift() ?? null }
    const measured = ofType(await logOf(world({ lengths: [9] }), request(settings, rest)), 'judge-evaluation')
    expect(measured.map(({ voteFlips }) => voteFlips)).toEqual([0.4, 0.4, 0.4, undefined])
    const right = measured.map(({ votes }) => votes!.reduce((sum, cell) => sum + cell.goodRight + cell.badRight, 0))
    expect([right[1], right[2]]).toEqual([right[0], right[0]])
    expect(right[3]).toBeGreaterThan(right[0]!)
  })

  it('are the same after a resume', async () => {
    const whole = await judged(0.3, 3)
    const ports = world()
    const first = await logOf(ports, request(smallSettings({ voteFlips: 0.3, evaluateEvery: 0 }), { iterations: 1 }))
    const rest = await logOf(ports, request(smallSettings(), { iterations: 2, history: first }))
    expect(votesOf(rest)).toEqual(votesOf(whole).slice(votesOf(first).length))
  })
})

describe('flipped verdicts of written tests', () => {
  it('are opposites of what the judge said, which their detail keeps; unreadable tests stay so', async () => {
    const written = async (voteFlips: number) =>
      ofType(await logOf(codingWorld(), request(codingSettings({ voteFlips, evaluateEvery: 0 }), { iterations: 1 })), 'tests-written') // prettier-ignore
    const [before, after] = [await written(0), await written(0.4)]
    expect(after.map(({ tests }) => tests)).toEqual(before.map(({ tests }) => tests))
    const pairs = before.flatMap(({ results }, task) =>
      results.flatMap((row, program) => row.map((result, test) => [result, after[task]!.results[program]![test]!] as const)),
    ) // prettier-ignore
    const readable = pairs.filter(([result]) => result !== null)
    expect(readable.length).toBeLessThan(pairs.length)
    expect(pairs.filter(([result]) => result === null).every(([, now]) => now === null)).toBe(true)
    for (const [result, now] of readable) {
      if (now.passed === result!.passed) expect(now).toEqual(result)
      else expect(now.detail).toContain(`flipped, in truth: ${result!.verdict}`)
    }
    const share = readable.filter(([result, now]) => now.passed !== result!.passed).length / readable.length
    expect(Math.abs(share - 0.4)).toBeLessThan(4 * Math.sqrt(0.24 / readable.length))
  })

  it('leave a void result void', () => {
    const result = { passed: false, verdict: 'checker failed', detail: '', isVoid: true }
    expect(flippedResult(result)).toBe(result)
  })

  it('are the same in every evaluation, so unchanged models measure the same', async () => {
    const settings = codingSettings({ voteFlips: 0.2, trainPolicy: false, trainReward: false, evaluateEvery: 1 })
    const log = await logOf(codingWorld(), request(settings, { iterations: 2 }))
    const detect = ofType(log, 'evaluation').filter(({ split }) => split === 'id').map(({ tests }) => tests) // prettier-ignore
    expect(detect.length).toBe(3)
    for (const each of detect) expect(each).toEqual(detect[0])
  })
})
