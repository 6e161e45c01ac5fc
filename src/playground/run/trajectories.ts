/**
 * A group of trajectories: all rollouts of a task in an iteration. The method compares them step index by step index (the
 * advantage of a step is standardised down a column).
 */
import type { Evaluation, StepHappened } from '../../method/events.ts'
import type { Outcome } from '../../method/ports.ts'
import { meanScore } from '../../method/feedback.ts'
import type { EpisodeView, IterationView, RunView } from '../../runs/fold.ts'
import type { Settings } from '../../method/settings.ts'
import { counted, percent, signed } from '../kit/format.ts'

export interface GroupChoice {
  taskId: string
  instruction: string
  /** Share of solved rollouts; null before the first is finished. */
  accuracy: number | null
  played: number
  isCandidate: boolean
}

/** The settings that an iteration ran with: those at the start with all changes until then. */
export function settingsOf(view: RunView, iteration: number): Settings | null {
  if (!view.started) return null
  const patches = view.settingsChanges.filter((change) => change.iteration <= iteration).map((change) => change.patch)
  return Object.assign({ ...view.started.settings }, ...patches) as Settings
}

/** The tasks of an iteration, in the order in which it drew them, without those that a published log leaves out. */
export function groupChoices(view: RunView, iteration: IterationView): GroupChoice[] {
  const tally = new Map<string, { won: number; played: number; instruction: string }>()
  for (const { episode } of iteration.episodes) {
    let entry = tally.get(episode.taskId)
    if (!entry) tally.set(episode.taskId, (entry = { won: 0, played: 0, instruction: episode.instruction }))
    entry.played++
    if (episode.outcome === 1) entry.won++
  }
  for (const { taskId, played, won } of iteration.tallies) tally.set(taskId, { won, played, instruction: taskId })
  const choice = (taskId: string, isCandidate: boolean): GroupChoice => {
    const entry = tally.get(taskId)
    const instruction = view.tasks.get(taskId)?.task.instruction ?? entry?.instruction ?? taskId
    return {
      taskId,
      instruction,
      isCandidate,
      played: entry?.played ?? 0,
      accuracy: entry ? entry.won / entry.played : null,
    }
  }
  const leftOut = new Set(iteration.leftOut.map(({ taskId }) => taskId))
  return [
    ...iteration.taskIds.map((id) => choice(id, false)),
    ...iteration.remeasuredTaskIds.map((id) => choice(id, false)),
    ...iteration.pendingTaskIds.map((id) => choice(id, true)),
  ].filter(({ taskId }) => !leftOut.has(taskId))
}

/** "21 more tasks: this recording keeps their outcomes alone, 84 of 168 solved." */
export function leftOutSentence({ leftOut }: IterationView): string {
  const sum = (of: 'won' | 'played') => leftOut.reduce((total, group) => total + group[of], 0)
  return `${counted(leftOut.length, 'more task')} without steps in this recording: ${sum('won')} of ${sum('played')} solved`
}

/** Why an iteration has no steps to show. Its outcomes and the curves are still known. */
export function goneSentence({ iteration }: IterationView): string {
  return `The steps of iteration ${iteration} are not stored, so they cannot be shown.`
}

/** The task whose accuracy is nearest to one half, where rollouts differ most. */
export function mostTelling(choices: readonly GroupChoice[]): string | null {
  let best: GroupChoice | null = null
  const doubt = (choice: GroupChoice) => (choice.accuracy === null ? 1 : Math.abs(choice.accuracy - 0.5))
  for (const choice of choices) if (best === null || doubt(choice) < doubt(best)) best = choice
  return best?.taskId ?? null
}

export interface StepView {
  index: number
  response: string
  thought: string
  command: string
  observation: string
  /** Null until the episode is finished. */
  trueLabel: 1 | -1 | null
  distance: number | null
  evaluations: Evaluation[] | null
  meanScore: number | null
  feedback: number | null
  /** Undefined until assigned; null where the step does not train the policy. */
  advantage: number | null | undefined
  rewardAdvantages: (number | null)[] | null
}

interface TrajectoryView {
  episodeId: string
  rollout: number
  opening: string
  /** Null until it is finished. */
  outcome: Outcome | null
  steps: StepView[]
}

export interface GroupView {
  taskId: string
  trajectories: TrajectoryView[]
  /** Steps of the longest trajectory. */
  width: number
}

export function group(
  iteration: IterationView,
  taskId: string,
  profile: Settings['profile'],
  live: ReadonlyMap<string, readonly StepHappened[]> = new Map(),
): GroupView {
  const trajectories = iteration.episodes
    .filter(({ episode }) => episode.taskId === taskId)
    .map((view) => finished(view, profile))
  trajectories.sort((a, b) => a.rollout - b.rollout)
  const known = new Set(trajectories.map((t) => t.episodeId))
  for (const [episodeId, steps] of live) {
    if (steps[0]?.taskId !== taskId || known.has(episodeId)) continue
    trajectories.push({
      episodeId,
      rollout: trajectories.length,
      opening: '',
      outcome: null,
      steps: steps.map(happening),
    })
  }
  return { taskId, trajectories, width: Math.max(0, ...trajectories.map((t) => t.steps.length)) }
}

function finished(view: EpisodeView, profile: Settings['profile']): TrajectoryView {
  const { episode, votes, feedback, policyAdvantages, rewardAdvantages } = view
  return {
    episodeId: episode.episodeId,
    rollout: episode.rollout,
    opening: episode.opening,
    outcome: episode.outcome,
    steps: episode.steps.map((step, index) => ({
      index,
      response: step.response,
      thought: step.thought,
      command: step.command,
      observation: step.observation,
      trueLabel: step.trueLabel,
      distance: step.distance,
      evaluations: votes?.[index] ?? null,
      meanScore: votes?.[index]
        ? meanScore(
            votes[index].map((vote) => vote.score),
            profile,
          )
        : null,
      feedback: feedback?.[index] ?? null,
      advantage: policyAdvantages?.[index],
      rewardAdvantages: rewardAdvantages?.[index] ?? null,
    })),
  }
}

function happening(step: StepHappened): StepView {
  return {
    index: step.index,
    response: step.response.trim(),
    thought: '',
    command: '',
    observation: step.observation,
    trueLabel: null,
    distance: null,
    evaluations: null,
    meanScore: null,
    feedback: null,
    advantage: undefined,
    rewardAdvantages: null,
  }
}

/** Describes a step without an advantage, as a title and for screen readers. */
export function cellName(trajectory: TrajectoryView, step: StepView): string {
  const where = `Rollout ${trajectory.rollout + 1}, step ${step.index + 1}`
  return step.meanScore === null ? where : `${where}, mean vote ${signed(step.meanScore, 1)}`
}

export function groupSentence(choice: GroupChoice): string {
  return choice.accuracy === null ? 'rolling out' : `${percent(choice.accuracy)} of ${choice.played} solved`
}
