import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  breaksQuestion,
  judgeQuestion,
  LOOP_QUESTION,
  outcomeQuestion,
  tasksQuestion,
  votesQuestion,
  voteTally,
  type Question,
} from '../../../../src/playground/views/story/questions.ts'
import { signalGains } from '../../../../src/playground/views/story/signals.ts'
import { parseResults } from '../../../../src/results/results-file.ts'
import { batchOf } from '../../../../src/runs/batch.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { tellingEpisode } from '../../../../src/runs/telling-episode.ts'
import { tellingRewrite } from '../../../../src/runs/telling-rewrite.ts'

const view = foldRun(await readRunLog('public/runs/household-episode.jsonl.gz'))
const episode = tellingEpisode(view)!
const signals = parseResults(JSON.parse(readFileSync('public/results/signals.json', 'utf8')))
const right = ({ choices }: Question) => choices.filter(({ isRight }) => isRight).map(({ label }) => label)

describe('the questions of the story', () => {
  it('each have one right answer among several', () => {
    const rewrite = tellingRewrite(view)!
    const questions = [
      outcomeQuestion(episode),
      votesQuestion(episode),
      judgeQuestion(episode, null),
      tasksQuestion(rewrite, 'put a mug on a desk.'),
      LOOP_QUESTION,
      breaksQuestion(signals)!,
    ]
    for (const question of questions) {
      expect(right(question)).toHaveLength(1)
      expect(question.choices.length).toBeGreaterThan(1)
      expect(new Set(question.choices.map(({ label }) => label)).size).toBe(question.choices.length)
    }
  })

  it('count what λ = 0 encourages in the recorded episode', () => {
    const { episode: played } = episode.group.episodes[episode.trajectory]!
    const encouraged = episode.group
      .derive({ ...episode.settings, lambda: 0 })
      .policy[episode.trajectory]!.filter((value) => value !== null && value > 0)
    expect(encouraged).toHaveLength(played.steps.length)
    expect(right(outcomeQuestion(episode))).toEqual([`All ${played.steps.length}`])
  })

  it('name the step that turns', () => {
    const { steps } = episode.group.episodes[episode.trajectory]!.episode
    const question = votesQuestion(episode)
    expect(right(question)).toEqual([`Step ${episode.step + 1}: ${steps[episode.step]!.command}`])
    expect(question.because).toContain(steps[episode.step]!.observation)
  })

  it('count votes against the true labels, and the direction in which they are trained', () => {
    const tally = voteTally(episode.group, episode.settings)
    const trained = episode.group
      .derive(episode.settings)
      .reward.flat(2)
      .filter((value) => value !== null)
    expect(tally.right + tally.wrong).toBe(trained.length)
    expect(tally.rightUp).toBeLessThanOrEqual(tally.right)
    // Turned around, every right vote is a wrong one, and what encouraged it still does.
    const turned = voteTally(
      {
        ...episode.group,
        episodes: episode.group.episodes.map((each) => ({
          ...each,
          episode: {
            ...each.episode,
            steps: each.episode.steps.map((step) => ({ ...step, trueLabel: step.trueLabel === 1 ? -1 : 1 })),
          },
        })),
      },
      episode.settings,
    )
    expect(turned).toMatchObject({ right: tally.wrong, wrong: tally.right })
    expect(turned.rightUp).toBe(tally.wrong - tally.wrongDown)
  })

  it('say how usual the votes on this task are, as derived again for every task of the run', async () => {
    const run = foldRun(await readRunLog('public/runs/household.jsonl.gz'))
    const tallies = run.iterations.flatMap((iteration) =>
      batchOf(run, iteration).map((group) => voteTally(group, run.settings!)),
    )
    const sum = (of: keyof (typeof tallies)[number]) => tallies.reduce((total, tally) => total + tally[of], 0)
    expect(sum('wrong')).toBeGreaterThan(100)
    const shares = [sum('wrongDown') / sum('wrong'), sum('rightUp') / sum('right')].map(
      (share) => `${Math.round(100 * share)} %`,
    )
    expect(judgeQuestion(episode, run).because).toContain(
      `; on all recorded tasks of the run, ${shares.join(' and ')}.`,
    )
    expect(judgeQuestion(episode, null).because).not.toContain('recorded tasks')
  })

  it('take the last one from the published seeds', () => {
    const gain = signalGains(signals).find(({ row }) => row === 'step-trained')!
    const before = signals.rows.find(({ id }) => id === 'temperature-only')!.values['id']!
    const after = signals.rows.find(({ id }) => id === 'step-trained')!.values['id']!
    const mean = after.reduce<number>((sum, value, s) => sum + value! - before[s]!, 0) / after.length
    expect(gain.mean).toBeCloseTo(mean, 12)
    expect(right(breaksQuestion(signals)!)).toEqual([
      gain.high! < 0 ? 'It falls' : gain.low! > 0 ? 'It rises' : 'Too close to call',
    ])
    expect(breaksQuestion({ ...signals, rows: [] })).toBeNull()
  })
})
