import { describe, expect, it } from 'vitest'
import type { JudgeEvaluated, LoggedEvent } from '../../../src/method/events.ts'
import { STRENGTHS, type FixedTrajectory } from '../../../src/method/judge-evaluation/fixed-trajectory.ts'
import { judgeMeasures } from '../../../src/method/judge-evaluation/measures.ts'
import { replay } from '../../../src/method/judge-evaluation/replay.ts'
import { metricPoints } from '../../../src/method/metric-points.ts'
import { CorridorEnvironment, logOf, ofType, request, smallSettings, world } from '../corridor.ts'

/** Walks of two cells in a corridor of two: "fwf" waits once and arrives, "www" never moves. */
function walk(
  split: 'id' | 'ood',
  task: number,
  strength: FixedTrajectory['strength'],
  moves: string,
): FixedTrajectory {
  const id = `${split}-${task}`
  const commands = [...moves].map((move) => (move === 'f' ? 'forward' : 'wait'))
  return {
    ...{ id: `${id}-${strength}`, split, strength, maxSteps: 3 },
    task: { id, rootId: id, instruction: '', kind: 'corridor', body: { length: 2 } },
    steps: commands.map((command) => ({ response: command, command })),
    outcome: [...moves].filter((move) => move === 'f').length === 2 ? 1 : -1,
    labels: [...moves].map((move) => (move === 'f' ? '+' : '-')).join(''),
  }
}

const WALKS = (['id', 'ood'] as const).flatMap((split) =>
  [0, 1, 2].flatMap((task) => [
    walk(split, task, 'weak', 'www'),
    walk(split, task, 'middling', 'fww'),
    walk(split, task, 'strong', 'fwf'),
  ]),
)
const settings = smallSettings({
  ...{ judgeTasks: 2, evaluateEvery: 1, adaptEnvironment: false },
  // The reward model learns in every iteration.
  ...{ rewardLearningRate: 0.04, rewardAccuracyLow: 0, rewardAccuracyHigh: 1 },
})
const frozen = { ...settings, trainReward: false, trainPolicy: true }

async function measured(of = settings, trajectories = WALKS, ports = world()) {
  const log = await logOf(ports, request(of, { iterations: 4, fixedTrajectories: trajectories }))
  return { events: ofType(log, 'judge-evaluation'), ports, log }
}

describe('the reward model on fixed trajectories', () => {
  it('is measured with every evaluation, over the first tasks of both splits and all strengths', async () => {
    const { events, log } = await measured()
    expect(events.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3, 4])
    for (const { votes, tasks } of events) {
      expect(tasks).toBe(2)
      expect(votes!.map(({ split, strength }) => `${split} ${strength}`)).toEqual(
        ['id', 'ood'].flatMap((split) => STRENGTHS.map((strength) => `${split} ${strength}`)),
      )
      // Two tasks with three steps each and three votes a step.
      for (const { strength, goodVotes, badVotes, trajectories } of votes!) {
        const good = { weak: 0, middling: 1, strong: 2 }[strength]
        expect([goodVotes, badVotes, trajectories]).toEqual([6 * good, 6 * (3 - good), 2])
      }
    }
    expect(log.some((event) => event.type === 'judged' && event.episodeId.startsWith('fixed/'))).toBe(false)
  })

  it('is a flat line while it is frozen, whatever the policy learns, and the same in runs of other seeds', async () => {
    const { events, log } = await measured(frozen)
    expect(events).toHaveLength(5)
    expect(ofType(log, 'model-updated').length).toBeGreaterThan(0)
    const numbers = (found: readonly JudgeEvaluated[]) =>
      new Set(found.map((event) => JSON.stringify(judgeMeasures(event))))
    expect(numbers(events).size).toBe(1)
    const other = await measured({ ...frozen, seed: 99, evaluateEvery: 2 })
    expect(numbers([...events, ...other.events]).size).toBe(1)
  })

  it('asks again after every update, and sees that a judge has become better', async () => {
    const { events } = await measured()
    expect(events.map(({ rewardVersion }) => rewardVersion)).toEqual([0, 1, 2, 3, 4])
    const accuracies = events.map((event) => judgeMeasures(event)['judge/process_acc']!)
    expect(accuracies.at(-1)).toBeGreaterThan(accuracies[0]!)
  })

  it('asks a frozen judge once', async () => {
    const fixedPrompts = ({ prompts }: { prompts: string[] }) =>
      prompts.filter((text) => text.startsWith('corridor of 2.'))
    const lengths = [5, 4]
    const { ports } = await measured(frozen, WALKS, world({ lengths }))
    // Two tasks of two splits, three walks, three steps.
    expect(fixedPrompts(ports.reward)).toHaveLength(36)
    const learning = await measured(settings, WALKS, world({ lengths }))
    expect(fixedPrompts(learning.ports.reward)).toHaveLength(5 * 36)
  })

  it('continues a resumed run as if it had not stopped', async () => {
    const options = { iterations: 4, fixedTrajectories: WALKS }
    const whole = await logOf(world(), request(frozen, options))
    const ports = world()
    const first = (await logOf(ports, request(frozen, { ...options, iterations: 2 }))).slice(0, -1)
    const rest = await logOf(ports, request(frozen, { ...options, iterations: 2, history: first }))
    expect(JSON.stringify([...first, ...rest])).toBe(JSON.stringify(whole))
  })

  it('is measured anew after another model took its place, or with more tasks', async () => {
    const options = { iterations: 1, fixedTrajectories: WALKS }
    const history = (await logOf(world(), request(frozen, options))).slice(0, -1)
    const accuracy = (log: readonly LoggedEvent[]) =>
      judgeMeasures(ofType(log, 'judge-evaluation').at(-1)!)['judge/process_acc']
    const next = { seq: history.at(-1)!.seq + 1, iteration: 2 }
    const replaced = { ...next, type: 'model-replaced', role: 'reward', model: 'another' } as const
    const bad = () => world({ insight: 0.01 })
    const [kept, swapped] = await Promise.all(
      [history, [...history, replaced]].map((before) => logOf(bad(), request(frozen, { ...options, history: before }))),
    )
    expect(accuracy(kept!)).toBe(accuracy(history))
    expect(accuracy(swapped!)).toBeLessThan(0.1)
    const more = history.map((event) =>
      event.type === 'run-started' ? { ...event, settings: { ...event.settings, judgeTasks: 3 } } : event,
    )
    const [event] = ofType(await logOf(bad(), request(frozen, { ...options, history: more })), 'judge-evaluation')
    expect(event).toMatchObject({
      tasks: 3,
      votes: expect.arrayContaining([expect.objectContaining({ trajectories: 3 })]) as unknown,
    })
  })

  it('is not measured without trajectories or tasks, or where nothing reads the reward model', async () => {
    expect((await measured(settings, [])).events).toEqual([])
    expect((await measured({ ...settings, judgeTasks: 0 })).events).toEqual([])
    const alone = { ...settings, signal: 'outcome', trainReward: false, adaptEnvironment: false } as const
    expect((await measured(alone)).events).toEqual([])
  })
})

describe('its measures', () => {
  it('count every class on its own, and pool splits and strengths', () => {
    const rest = { trajectories: 2, outcomesRight: 1, outcomeVotesRight: 5 }
    const event = {
      votes: [
        { split: 'id', strength: 'weak', goodVotes: 10, goodRight: 9, badVotes: 2, badRight: 0, ...rest },
        { split: 'ood', strength: 'strong', goodVotes: 10, goodRight: 7, badVotes: 2, badRight: 1, ...rest },
      ],
    } satisfies Pick<JudgeEvaluated, 'votes'>
    expect(judgeMeasures(event)).toEqual({
      'judge/process_acc': 17 / 24,
      'judge/good_acc': 0.8,
      'judge/bad_acc': 0.25,
      'judge/accepted_bad_acc': null,
      'judge/balanced_acc': 0.525,
      'judge/outcome_step_acc': 10 / 24,
      'judge/outcome_acc': 0.5,
    })
  })

  it('tell bad steps that the world accepted from refused ones, which older logs do not', () => {
    const cell = { split: 'id', strength: 'weak', goodVotes: 0, goodRight: 0, badVotes: 8, badRight: 6 } as const
    const rest = { outcomeVotesRight: 0, trajectories: 1, outcomesRight: 0 }
    const counted = { ...cell, ...rest, acceptedBadVotes: 4, acceptedBadRight: 2 }
    expect(judgeMeasures({ votes: [counted] })).toMatchObject({
      'judge/bad_acc': 0.75,
      'judge/accepted_bad_acc': 0.5,
    })
    expect(judgeMeasures({ votes: [counted, { ...cell, ...rest }] })['judge/accepted_bad_acc']).toBeNull()
  })

  it('leave out what nothing was counted for', () => {
    const tests = [{ split: 'id', utTests: 4, utTrue: 3, detectTests: 0, detecting: 0 }] as const
    const base = {
      type: 'judge-evaluation',
      rewardVersion: 0,
      evaluationsPerStep: 4,
      temperature: 1,
      tasks: 1,
    } as const
    expect(metricPoints({ ...base, tests: [...tests], seq: 0, iteration: 0 })).toEqual([['judge/ut', 0.75]])
  })
})

describe('a replay', () => {
  const environment = () => new CorridorEnvironment([2])

  it('gives the observations, labels and outcomes of the environment', async () => {
    const [first] = await replay(environment(), [walk('id', 0, 'strong', 'fwf')])
    expect(first!.episode).toMatchObject({ outcome: 1, opening: 'corridor of 2.', split: 'id' })
    expect(first!.episode.steps.map(({ observation, trueLabel }) => [observation, trueLabel])).toEqual([
      ['moved', 1],
      ['nothing happened', -1],
      ['moved', 1],
    ])
  })

  it.each([
    ['outcome', { outcome: -1 }],
    ['labels', { labels: '+++' }],
    ['ends early', { maxSteps: 2 }],
  ] as const)('refuses a trajectory that no longer replays to what was stored (%s)', async (why, change) => {
    const trajectory = { ...walk('id', 0, 'strong', 'fwf'), ...change }
    await expect(replay(environment(), [trajectory])).rejects.toThrow(
      new RegExp(`${why}.*another version of the world`, 's'),
    )
  })
})
