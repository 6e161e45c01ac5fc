/**
 * The numbers along the arrows of the loop, from the last iteration of a run. Numbers that it does not have yet come from the
 * iteration before and are marked, so that the diagram never goes blank.
 */
import { rewriteDirection } from '../../../method/adaptation.ts'
import type { Phase } from '../../../method/events.ts'
import { consistencyFeedback, meanScore } from '../../../method/feedback.ts'
import { mean } from '../../../method/metrics.ts'
import type { IterationView, RunView } from '../../../runs/fold.ts'
import { batchOf, isJudged } from '../../../runs/batch.ts'
import type { Score } from '../../../method/ports.ts'
import { DEFAULTS, type Settings, type World } from '../../../method/settings.ts'
import { WORLDS } from '../../../worlds/index.ts'
import { settingsOf } from '../../run/trajectories.ts'
import { FLOWS, type FlowId, type LoopSymbol } from './loop-symbols.ts'
import { counted, decimal, percent, signed, UNKNOWN, whole } from '../../kit/format.ts'

export interface Flow {
  id: FlowId
  symbol: string
  /** Names what moves. */
  name: string
  from: string
  to: string
  value: string
  /** Whether the value is from the iteration before. */
  isEarlier: boolean
}

/** The arrows that are active in a phase. */
const ACTIVE: Record<Phase, readonly FlowId[]> = {
  evaluate: ['actions', 'tasks'],
  rollout: ['actions', 'tasks', 'outcome'],
  judge: ['steps', 'score'],
  'update-policy': ['advantage'],
  'update-reward': ['consistency'],
  adapt: ['critic', 'tasks'],
}

export function activeFlows(phase: Phase | null): readonly FlowId[] {
  return phase ? ACTIVE[phase] : []
}

export function phaseName(phase: Phase, world: World): string {
  return WORLDS[world].phases[phase]
}

interface IterationNumbers {
  rollouts: number
  steps: number
  tasks: number
  meanOutcome: number | null
  successShare: number | null
  meanScore: number | null
  meanFeedback: number | null
  meanAbsAdvantage: number | null
  meanConsistency: number | null
  votes: number
  /** Number of tests that the reward model wrote. */
  tests: number
  outOfBand: number | null
  accepted: number | null
  proposed: number
}

/** The numbers of an iteration with its feedback and advantages derived again under another λ, where its votes are known. */
export function numbersUnder(view: RunView, iteration: IterationView, settings: Settings): IterationNumbers {
  const numbers = iterationNumbers(iteration, settings)
  if (!isJudged(iteration) || iteration.isReleased) return numbers
  const groups = batchOf(view, iteration).map((group) => group.derive(settings))
  const trained = groups.flatMap(({ policy }) => policy.flat()).filter((value) => value !== null)
  const tests = groups.flatMap((group) => group.tests?.feedback ?? [])
  return {
    ...numbers,
    meanFeedback: mean(groups.flatMap(({ feedback }) => feedback.flat())),
    meanAbsAdvantage: mean(trained.map((value) => Math.abs(value))),
    ...(tests.length > 0 && { meanConsistency: mean(tests) }),
  }
}

/** Over one iteration's episodes. Those that a published log leaves out, or that are released, count with their outcomes alone. */
export function iterationNumbers(iteration: IterationView, settings: Settings): IterationNumbers {
  let [rollouts, steps, won, votes, tests] = [0, 0, 0, 0, 0]
  const scores: number[] = []
  const feedbacks: number[] = []
  const consistency: number[] = []
  const advantages: number[] = []
  const accuracy = new Map<string, { won: number; played: number }>()
  for (const view of iteration.episodes) {
    rollouts++
    steps += view.episode.steps.length
    const task = accuracy.get(view.episode.taskId) ?? { won: 0, played: 0 }
    accuracy.set(view.episode.taskId, task)
    task.played++
    if (view.episode.outcome === 1) {
      won++
      task.won++
    }
    for (const evaluations of view.votes ?? []) {
      const values = evaluations.map((evaluation) => evaluation.score)
      votes += values.length
      scores.push(meanScore(values, settings.profile))
      if (view.feedback !== null) consistency.push(...consistencyFeedback(view.episode.outcome, values, settings))
    }
    feedbacks.push(...(view.feedback ?? []))
    for (const value of view.policyAdvantages ?? []) if (value !== null) advantages.push(Math.abs(value))
  }
  for (const group of [...iteration.leftOut, ...iteration.tallies]) {
    rollouts += group.played
    steps += group.steps
    won += group.won
    accuracy.set(group.taskId, group)
  }
  for (const { written, feedback } of iteration.writtenTests) {
    tests += written.tests.length
    for (const row of written.results) {
      const ran = row.map((result): Score => (result === null ? 0 : result.passed ? 1 : -1))
      scores.push(meanScore(ran, settings.profile))
    }
    consistency.push(...(feedback ?? []))
  }
  const adapted = iteration.isFinished || iteration.proposed.length > 0 || iteration.resolved.length > 0
  const isOutOfBand = (id: string) => {
    const task = accuracy.get(id)
    return task !== undefined && rewriteDirection(task.won / task.played, settings) !== null
  }
  return {
    rollouts,
    steps,
    votes,
    tests,
    tasks: iteration.taskIds.length + iteration.remeasuredTaskIds.length + iteration.pendingTaskIds.length,
    meanOutcome: rollouts === 0 ? null : (2 * won - rollouts) / rollouts,
    successShare: rollouts === 0 ? null : won / rollouts,
    meanScore: mean(scores),
    meanFeedback: mean(feedbacks),
    meanAbsAdvantage: mean(advantages),
    meanConsistency: mean(consistency),
    outOfBand: adapted ? iteration.taskIds.filter(isOutOfBand).length : null,
    accepted: adapted ? iteration.resolved.filter((r) => r.accepted).length : null,
    proposed: iteration.proposed.length,
  }
}

interface LoopFlows {
  flows: Record<FlowId, Flow>
  /** The junction R = O + λ S̄ with its numbers. */
  junction: { formula: string; numbers: { id: 'feedback' | 'lambda'; text: string }[] }
  /** What each symbol is, by its name. */
  numbers: Partial<Record<LoopSymbol, string>>
  policyLine: string
  rewardLine: string
  environmentLine: string
}

/** With the λ that is tried in place of the run's own, if it is not null. */
export function loopFlows(
  view: RunView,
  world: World = view.settings?.world ?? DEFAULTS.world,
  triedLambda: number | null = null,
): LoopFlows {
  const tried = triedLambda === null ? {} : { lambda: triedLambda }
  const settings = { ...(view.settings ?? DEFAULTS), ...tried }
  const { nouns, isOneStep, evidence, flows: words } = WORLDS[world]
  const now = view.current
  const before = view.iterations.at(-2)
  const numbersOf = (iteration: IterationView) => {
    // Those that it ran with: the settings may have changed since.
    const own = { ...(settingsOf(view, iteration.iteration) ?? settings), ...tried }
    const numbers = triedLambda === null ? iterationNumbers(iteration, own) : numbersUnder(view, iteration, own)
    return { ...numbers, evaluationsPerStep: own.evaluationsPerStep }
  }
  const current = now ? numbersOf(now) : null
  const earlier = before ? numbersOf(before) : null
  const noun = nouns.task

  function flow(
    id: FlowId,
    symbol: string,
    name: string,
    from: string,
    to: string,
    write: (n: NonNullable<typeof current>) => string | null,
  ): Flow {
    const fresh = current ? write(current) : null
    const old = fresh === null && earlier ? write(earlier) : null
    return { id, symbol, name, from, to, value: fresh ?? old ?? UNKNOWN, isEarlier: fresh === null && old !== null }
  }
  const flows: Record<FlowId, Flow> = {
    actions: flow('actions', 'a', words.actions, 'policy', 'environment', (n) => {
      if (n.rollouts === 0) return null
      const rollouts = counted(n.rollouts, nouns.rollout)
      return isOneStep ? rollouts : `${rollouts}, ${counted(n.steps, 'step')}`
    }),
    tasks: flow('tasks', 'q', words.tasks, 'environment', 'policy', (n) => {
      if (n.tasks === 0) return null
      return n.accepted === null ? counted(n.tasks, noun) : `${counted(n.tasks, noun)}, ${whole(n.accepted)} rewritten`
    }),
    outcome: flow('outcome', 'O', 'outcome', 'environment', 'feedback', (n) =>
      n.meanOutcome === null ? null : `${signed(n.meanOutcome)} (${percent(n.successShare)} solved)`,
    ),
    steps: flow('steps', 'τ', words.steps, 'policy', 'reward model', (n) => {
      if (n.steps === 0) return null
      return `${whole(isOneStep ? n.rollouts : n.steps)} × ${n.evaluationsPerStep} ${evidence}`
    }),
    score: flow('score', 'S̄', words.score, 'reward model', 'feedback', (n) =>
      n.meanScore === null ? null : signed(n.meanScore),
    ),
    advantage: flow('advantage', 'A', 'advantage', 'feedback', 'policy', (n) =>
      n.meanAbsAdvantage === null ? null : `mean |A| ${decimal(n.meanAbsAdvantage)}`,
    ),
    consistency: flow('consistency', 'R·S', 'consistency', 'feedback', 'reward model', (n) =>
      n.meanConsistency === null ? null : signed(n.meanConsistency),
    ),
    critic: flow('critic', 'acc(q)', 'accuracy, critic summary', 'reward model', 'environment', (n) =>
      n.outOfBand === null ? null : `${whole(n.outOfBand)} out of band`,
    ),
  }

  const { signal, lambda } = settings
  const shown = current?.meanFeedback !== null && current ? current : earlier
  const feedback = { id: 'feedback' as const, text: `$mean R$ ${signed(shown?.meanFeedback)}` }
  const junction =
    words.referenceJunction !== null && settings.profile === 'reference'
      ? { formula: words.referenceJunction, numbers: [feedback] }
      : signal === 'outcome'
        ? { formula: 'R = O', numbers: [feedback] }
        : signal === 'step'
          ? { formula: 'R = S̄', numbers: [feedback] }
          : {
              formula: 'R = O + λ S̄',
              numbers: [{ id: 'lambda' as const, text: `λ = ${decimal(lambda, 1)}` }, feedback],
            }

  const share = (name: string) => {
    const value = view.series(name).values.at(-1)
    return value === undefined ? null : percent(value)
  }
  return {
    flows,
    junction,
    numbers: {
      ...Object.fromEntries(FLOWS.map((id) => [id, flows[id].value])),
      feedback: signed(shown?.meanFeedback),
      lambda: decimal(lambda, 1),
    },
    policyLine: `solves ${share('policy/acc') ?? UNKNOWN} of active ${noun}s`,
    rewardLine: words.reward(share),
    environmentLine:
      view.tasks.size === 0
        ? `no ${noun}s yet`
        : counted([...view.tasks.values()].filter((t) => t.status === 'active').length, `active ${noun}`),
  }
}
