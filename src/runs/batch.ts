/**
 * The batch of an iteration, read back from a log, so that every advantage can be derived again under other settings. The
 * arithmetic is the loop's own (src/method): under the iteration's own settings it gives the numbers in the log.
 */
import { WORLDS } from '../worlds/index.ts'
import { untrained, type AdvantageSettings, type GroupAdvantages } from '../method/advantages.ts'
import { groupAdvantages } from '../method/step-judging/advantages.ts'
import { programAdvantages } from '../method/test-writing/advantages.ts'
import { passedOf, passRatioOf, scoresOf, type ProgramGroup } from '../method/test-writing/program-group.ts'
import type { EpisodeView, IterationView, RunView } from './fold.ts'
import type { Outcome, Score } from '../method/ports.ts'

export interface BatchGroup {
  taskId: string
  instruction: string
  /** Whether steps are judged or programs tested. */
  kind: 'steps' | 'programs'
  /** A candidate that was measured and not accepted. It trains nothing. */
  isRejected: boolean
  episodes: EpisodeView[]
  outcomes: Outcome[]
  /** scores[trajectory][step][evaluation]; a program is one step whose evaluations are the written tests. */
  scores: Score[][][]
  /** For programs, the share of hidden tests passed. */
  passRatios: number[]
  /** Derives every advantage of the group. Shapes as in GroupAdvantages. */
  derive(settings: AdvantageSettings): GroupAdvantages
}

/** Whether the feedback of at least some of an iteration's tasks is known. An iteration that is released has been judged. */
export function isJudged({ episodes, isReleased }: IterationView): boolean {
  return isReleased || episodes.some(({ feedback }) => feedback !== null)
}

/** The groups in the order in which they were drawn; none if the iteration was released from memory. */
export function batchOf(view: RunView, iteration: IterationView): BatchGroup[] {
  if (iteration.isReleased) return []
  const episodesOf = new Map<string, EpisodeView[]>()
  for (const episode of iteration.episodes) {
    const list = episodesOf.get(episode.episode.taskId)
    if (list) list.push(episode)
    else episodesOf.set(episode.episode.taskId, [episode])
  }
  const rejected = new Set(iteration.resolved.filter((r) => !r.accepted).map((r) => r.candidateId))
  return [...iteration.taskIds, ...iteration.remeasuredTaskIds, ...iteration.pendingTaskIds].flatMap(
    (taskId): BatchGroup[] => {
      const episodes = episodesOf.get(taskId)
      if (!episodes) return []
      episodes.sort((a, b) => a.episode.rollout - b.episode.rollout)
      const isTested = view.settings !== null && WORLDS[view.settings.world].evidence === 'tests'
      const group = isTested ? programs(view, iteration, taskId, episodes) : steps(episodes)
      const isRejected = rejected.has(taskId)
      return [
        {
          taskId,
          instruction: view.tasks.get(taskId)?.task.instruction ?? episodes[0]!.episode.instruction,
          isRejected,
          episodes,
          outcomes: episodes.map(({ episode }) => episode.outcome),
          ...group,
          derive: (settings) => (isRejected ? untrained(group.derive(settings)) : group.derive(settings)),
        },
      ]
    },
  )
}

type Derivable = Pick<BatchGroup, 'kind' | 'scores' | 'passRatios' | 'derive'>

function steps(episodes: readonly EpisodeView[]): Derivable {
  const scores = episodes.map(({ episode, votes }) =>
    episode.steps.map((_, step) => (votes?.[step] ?? []).map(({ score }) => score)),
  )
  const trajectories = episodes.map(({ episode }, index) => ({ outcome: episode.outcome, scores: scores[index]! }))
  return { kind: 'steps', scores, passRatios: [], derive: (settings) => groupAdvantages(trajectories, settings) }
}

function programs(
  view: RunView,
  iteration: IterationView,
  taskId: string,
  episodes: readonly EpisodeView[],
): Derivable {
  const written = view.testsFor(iteration.iteration, taskId)?.written
  const passed = episodes.map(({ episode }): (boolean | null)[] => {
    const row = written?.results[written.episodeIds.indexOf(episode.episodeId)]
    return row?.map(passedOf) ?? []
  })
  const passRatios = episodes.map(({ episode }) => passRatioOf(episode.steps[0]?.tests ?? []))
  const group: ProgramGroup = {
    programs: episodes.map(({ episode }, index) => ({ outcome: episode.outcome, passRatio: passRatios[index]! })),
    passed,
  }
  return {
    kind: 'programs',
    scores: passed.map((row) => [scoresOf(row)]),
    passRatios,
    derive: (settings) => programAdvantages(group, settings),
  }
}

/** Whether an advantage has changed its sign. */
export function isFlipped(before: number | null, now: number | null): boolean {
  return before !== null && now !== null && before * now < 0
}

export interface Rederived {
  group: BatchGroup
  /** Under the settings of the iteration. */
  before: GroupAdvantages
  now: GroupAdvantages
}

export function rederive(batch: readonly BatchGroup[], before: AdvantageSettings, now: AdvantageSettings): Rederived[] {
  return batch.map((group) => ({ group, before: group.derive(before), now: group.derive(now) }))
}

export interface FlipCount {
  /** Advantages that train now. */
  trained: number
  flipped: number
  /** Advantages that trained before and no longer do, and the reverse. */
  stopped: number
  started: number
}

/** Counts the advantages of one role over the given groups. */
export function countFlips(groups: readonly Rederived[], role: 'policy' | 'reward'): FlipCount {
  const count: FlipCount = { trained: 0, flipped: 0, stopped: 0, started: 0 }
  for (const { before, now } of groups) {
    const old = advantagesOf(before, role)
    advantagesOf(now, role).forEach((value, index) => {
      const earlier = old[index] ?? null
      if (value !== null) count.trained++
      if (isFlipped(earlier, value)) count.flipped++
      if (earlier !== null && value === null) count.stopped++
      if (earlier === null && value !== null) count.started++
    })
  }
  return count
}

function advantagesOf(advantages: GroupAdvantages, role: 'policy' | 'reward'): (number | null)[] {
  if (role === 'policy') return advantages.policy.flat()
  return advantages.tests ? advantages.tests.reward : advantages.reward.flat(2)
}
