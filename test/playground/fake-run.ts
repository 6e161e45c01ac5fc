/**
 * A made-up run for tests of the page: plausible shapes, no meaning. Only tests and developers ever see it.
 */
import {
  isLogged,
  type EpisodeStep,
  type Evaluation,
  type LoggedBody,
  type LoggedEvent,
  type RunEvent,
} from '../../src/method/events.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'
import type { Direction, Outcome, Task } from '../../src/method/ports.ts'
import { DEFAULTS, type Settings } from '../../src/method/settings.ts'

export const fakeSettings: Settings = {
  ...DEFAULTS,
  seed: 7,
  taskPoolSize: 12,
  maxSteps: 8,
  topP: 1,
  rewardGrouping: 'vote',
  policyLearningRate: 1e-4,
  rewardLearningRate: 1e-4,
  policyUpdatesPerIteration: 2,
  rewardUpdatesPerIteration: 2,
  lossAggregation: 'token-mean',
  rewriteAttempts: 3,
  evaluateEvery: 2,
  evaluationTasks: 16,
}

const OBJECTS = ['apple', 'mug', 'book', 'plate', 'candle', 'pan']
const PLACES = ['fridge 1', 'shelf 2', 'desk 1', 'countertop 1', 'drawer 3', 'sidetable 1']

export interface FakeRunOptions {
  seed?: number
  iterations?: number
  settings?: Partial<Settings>
  /** Written by the policy as the thought of every first step, e.g. markup that must stay text. */
  thought?: string
  /** Also yields events between the records: progress, and steps as they happen. */
  ephemeral?: boolean
}

export function* fakeRun(options: FakeRunOptions = {}): Generator<RunEvent> {
  const settings = { ...fakeSettings, ...options.settings }
  let state = (options.seed ?? 1) >>> 0 || 1
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const chance = (p: number) => random() < p
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!

  let seq = 0
  let iteration = 0
  const log = (body: LoggedBody): LoggedEvent => ({ ...body, seq: seq++, iteration })
  const tasks: (Task & { difficulty: number })[] = []
  const makeTask = (id: string, rootId: string, difficulty: number): Task & { difficulty: number } => ({
    id,
    rootId,
    difficulty,
    kind: pick(['pick_and_place_simple', 'pick_heat_then_place', 'look_at_obj_in_light']),
    instruction: `put a ${pick(OBJECTS)} in ${pick(PLACES)}.`,
    body: null,
  })

  yield log({
    type: 'run-started',
    runId: 'fake',
    settings,
    preset: 'household',
    backend: 'cpu',
    models: { policy: 'policy-tiny', reward: 'reward-tiny', author: 'author-tiny' },
  })
  for (let i = 0; i < settings.taskPoolSize; i++) {
    const task = makeTask(`task-${i}`, `task-${i}`, random())
    tasks.push(task)
    yield log({ type: 'task-added', task: { ...task }, split: 'train' })
  }
  let pending: {
    proposalId: string
    task: Task & { difficulty: number }
    candidate: Task & { difficulty: number }
    direction: Direction
    accuracy: number
    version: number
  }[] = []
  let policyVersion = 0
  let rewardVersion = 0

  for (iteration = 1; iteration <= (options.iterations ?? 30); iteration++) {
    const skill = 0.15 + 0.6 * (1 - Math.exp(-iteration / 14))
    const judgement = 0.55 + 0.35 * (1 - Math.exp(-iteration / 10))
    const chosen = [...tasks].sort(() => random() - 0.5).slice(0, settings.tasksPerIteration)
    yield log({
      type: 'iteration-started',
      taskIds: chosen.map((t) => t.id),
      pendingTaskIds: pending.map((p) => p.candidate.id),
    })
    if (settings.evaluateEvery > 0 && (iteration - 1) % settings.evaluateEvery === 0) {
      const level = { id: Math.min(1, skill + 0.06 * (random() - 0.5)), ood: Math.max(0, skill - 0.12 + 0.08 * (random() - 0.5)) } // prettier-ignore
      for (const split of ['id', 'ood'] as const) {
        const measured = { type: 'evaluation', split, policyVersion, episodes: 16 } as const
        yield log({ ...measured, acc: 0.9 * level[split], temperature: settings.policyTemperature, serves: 'training' })
        yield log({ ...measured, acc: level[split], temperature: 0, serves: 'evaluation' })
      }
    }

    const group = [...chosen, ...pending.map((p) => p.candidate)]
    const accuracies = new Map<string, number>()
    const episodes: {
      episodeId: string
      taskId: string
      outcome: Outcome
      steps: EpisodeStep[]
      votes: Evaluation[][]
    }[] = []
    const total = group.length * settings.groupSize
    for (const task of group) {
      let won = 0
      for (let rollout = 0; rollout < settings.groupSize; rollout++) {
        const solved = chance(Math.min(0.97, Math.max(0.03, skill + 0.5 - task.difficulty)))
        won += solved ? 1 : 0
        const length = solved ? 3 + Math.floor(random() * 3) : settings.maxSteps
        const episodeId = `it${iteration}-${task.id}-${rollout}`
        const steps: EpisodeStep[] = []
        for (let k = 0; k < length; k++) {
          const command =
            k === 0
              ? `go to ${pick(PLACES)}`
              : k === length - 1 && solved
                ? `move ${pick(OBJECTS)} to ${pick(PLACES)}`
                : pick(['open', 'go to', 'examine']) + ' ' + pick(PLACES)
          const thought =
            k === 0 && options.thought ? options.thought : `I need a ${pick(OBJECTS)}, it may be near ${pick(PLACES)}.`
          const response = `<think>${thought}</think><act>${command}</act>`
          const good = solved ? chance(0.85) : chance(0.35)
          steps.push({
            response,
            thought,
            command,
            observation: good
              ? `You arrive at ${pick(PLACES)}. On it, you see a ${pick(OBJECTS)}.`
              : 'Nothing happens.',
            tokens: [5, 17, 9],
            logProbs: [-0.31, -1.2, -0.05],
            entropies: [0.9, 1.4, 0.2],
            trueLabel: good ? 1 : -1,
            distance: solved ? length - 1 - k : 5,
          })
          if (options.ephemeral)
            yield {
              type: 'step',
              iteration,
              episodeId,
              taskId: task.id,
              index: k,
              response,
              observation: steps[k]!.observation,
              done: k === length - 1,
            }
        }
        const outcome: Outcome = solved ? 1 : -1
        yield log({
          type: 'episode',
          episodeId,
          taskId: task.id,
          split: 'train',
          rollout,
          policyVersion,
          instruction: task.instruction,
          opening: `You are in the middle of a room. Your task is to: ${task.instruction}`,
          steps,
          outcome,
        })
        const votes = steps.map((step) =>
          Array.from({ length: settings.evaluationsPerStep }, (): Evaluation => {
            if (chance(0.02)) return { score: 0, reasoning: 'The step seems' }
            const right = chance(judgement)
            const label = step.trueLabel ?? 1
            const score = (right ? label : -label) as 1 | -1
            return {
              score,
              reasoning:
                score === 1
                  ? `The command "${step.command}" brings the agent nearer to the goal.`
                  : `After "${step.command}" nothing has changed that the goal needs.`,
            }
          }),
        )
        episodes.push({ episodeId, taskId: task.id, outcome, steps, votes })
        if (options.ephemeral) yield { type: 'progress', iteration, phase: 'rollout', done: episodes.length, total }
      }
      accuracies.set(task.id, won / settings.groupSize)
    }
    for (const [index, episode] of episodes.entries()) {
      yield log({ type: 'judged', episodeId: episode.episodeId, rewardVersion, votes: episode.votes })
      if (options.ephemeral) yield { type: 'progress', iteration, phase: 'judge', done: index + 1, total }
    }
    const meanScore = (votes: readonly Evaluation[]) => {
      const read = votes.filter((vote) => vote.score !== 0)
      return read.length === 0 ? 0 : read.reduce((sum, vote) => sum + vote.score, 0) / read.length
    }
    for (const task of group) {
      const mine = episodes.filter((e) => e.taskId === task.id)
      const feedback = mine.map((e) => e.votes.map((votes) => e.outcome + settings.lambda * meanScore(votes)))
      for (const [j, episode] of mine.entries()) {
        const policy = feedback[j]!.map((value, k) => {
          const column = feedback.map((row) => row[k]).filter((v) => v !== undefined)
          const mean = column.reduce((a, b) => a + b, 0) / column.length
          const std = Math.sqrt(column.reduce((a, b) => a + (b - mean) ** 2, 0) / column.length)
          return column.length === 1 ? null : std < 1e-8 ? 0 : (value - mean) / std
        })
        const reward = episode.votes.map((votes, k) =>
          votes.map((vote) => (vote.score === 0 ? null : feedback[j]![k]! * vote.score)),
        )
        yield log({ type: 'advantages', episodeId: episode.episodeId, feedback: feedback[j]!, policy, reward })
      }
    }
    const metrics = (entropy: number) => ({
      pg_loss: 0.3 * (random() - 0.5) * Math.exp(-iteration / 25),
      kl_loss: 0.002 * random(),
      ppo_kl: 0.004 * random() + 0.0003 * iteration,
      pg_clipfrac: 0.08 * random(),
      entropy: entropy * Math.exp(-iteration / 60) + 0.04 * random(),
      grad_norm: 0.5 + random(),
      lossTokens: 4000,
      trainedTokens: 9000,
    })
    if (settings.trainPolicy) {
      if (options.ephemeral) yield { type: 'progress', iteration, phase: 'update-policy', done: 0, total: 2 }
      yield log({
        type: 'model-updated',
        role: 'policy',
        version: ++policyVersion,
        examples: episodes.reduce((n, e) => n + e.steps.length, 0),
        metrics: metrics(1.2),
      })
    }
    if (settings.trainReward) {
      if (options.ephemeral) yield { type: 'progress', iteration, phase: 'update-reward', done: 0, total: 2 }
      yield log({
        type: 'model-updated',
        role: 'reward',
        version: ++rewardVersion,
        examples: 3 * episodes.length,
        metrics: metrics(0.7),
      })
    }
    for (const proposal of pending) {
      const after = accuracies.get(proposal.candidate.id)!
      const harder = proposal.direction === 'harder'
      const accepted = harder
        ? settings.alphaLow < after && after < proposal.accuracy
        : proposal.accuracy < after && after < settings.alphaHigh
      yield log({
        type: 'rewrite-resolved',
        proposalId: proposal.proposalId,
        taskId: proposal.task.id,
        candidateId: proposal.candidate.id,
        direction: proposal.direction,
        accuracyBefore: proposal.accuracy,
        policyVersionBefore: proposal.version,
        accuracyAfter: after,
        policyVersionAfter: policyVersion,
        accepted,
        rule: harder
          ? `α_low < acc(q') < acc(q): ${settings.alphaLow} < ${after} < ${proposal.accuracy}`
          : `acc(q) < acc(q') < α_high: ${proposal.accuracy} < ${after} < ${settings.alphaHigh}`,
      })
      if (accepted) tasks[tasks.indexOf(proposal.task)] = proposal.candidate
    }
    pending = []
    for (const task of chosen) {
      const accuracy = accuracies.get(task.id)!
      if (
        !settings.adaptEnvironment ||
        !tasks.includes(task) ||
        (accuracy > settings.alphaLow && accuracy < settings.alphaHigh)
      )
        continue
      const direction: Direction = accuracy >= settings.alphaHigh ? 'harder' : 'easier'
      const candidate = makeTask(
        `${task.rootId}.it${iteration}`,
        task.rootId,
        Math.min(1, Math.max(0, task.difficulty + (direction === 'harder' ? 0.3 : -0.3))),
      )
      const refused = chance(0.15)
      const proposalId = `proposal-${iteration}-${task.id}`
      yield log({
        type: 'rewrite-proposed',
        proposalId,
        taskId: task.id,
        direction,
        accuracy,
        policyVersion,
        criticSummary:
          'Most failed attempts opened containers at random; the judge marks examining the wrong place as unhelpful.',
        attempts: [
          {
            text: refused ? 'goal: put a piano in a cup' : `goal: ${candidate.instruction}`,
            message: refused ? 'Refused: there is no piano in this scene.' : 'The object to find was changed.',
            ok: !refused,
          },
        ],
        candidate: refused ? null : { ...candidate },
      })
      if (!refused) pending.push({ proposalId, task, candidate, direction, accuracy, version: policyVersion })
      if (options.ephemeral) yield { type: 'progress', iteration, phase: 'adapt', done: 1, total: 1 }
    }
    const successShare = episodes.filter((e) => e.outcome === 1).length / episodes.length
    yield log({
      type: 'theory',
      pPlus: judgement * 0.85 + 0.05,
      pMinus: judgement * 0.8,
      mu: judgement * 1.65 + 0.05,
      precisionBound: 1 - Math.exp(-3 * (judgement * 1.65 - 0.95) ** 2),
      grounded: successShare * (judgement * 1.7 - 0.9) + (1 - successShare) * (judgement * 1.6 - 1),
      selfConsistency: 0.4 + 0.5 * judgement,
      successShare,
    })
    const labelled = episodes.flatMap((e) => e.steps.map((step, k) => ({ step, votes: e.votes[k]! })))
    const votesCast = labelled.flatMap(({ step, votes }) =>
      votes.map((vote) => (vote.score === step.trueLabel ? 1 : 0)),
    )
    yield log({
      type: 'iteration-finished',
      metrics: {
        'policy/acc': successShare,
        'reward/process_acc': votesCast.reduce<number>((a, b) => a + b, 0) / votesCast.length,
        'reward/outcome_acc': judgement - 0.05,
        'policy/entropy': 1.2 * Math.exp(-iteration / 60),
        'reward/entropy': 0.7 * Math.exp(-iteration / 70),
        'env/num_tasks': tasks.length,
      },
    })
    if (options.ephemeral) yield { type: 'timings', iteration, metrics: { 'timing_s/gen': 2, 'timing_s/step': 5 } }
  }
  iteration -= 1
  yield log({ type: 'run-finished', reason: 'completed' })
}

/** The made-up run as a recorded one. */
export function fakeRunLines(options: FakeRunOptions = {}): string {
  return serialiseRunLog([...fakeRun(options)].filter(isLogged))
}
