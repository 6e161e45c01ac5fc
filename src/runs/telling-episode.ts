/**
 * The episode of a run that shows best what λ decides. Every advantage is derived again at λ = 0 and λ = 1 with the loop's own
 * arithmetic (batch.ts):
 *
 *     judged steps      a wasted step of a solved episode: encouraged at λ = 0, where the outcome alone counts, and
 *                       discouraged at λ = 1
 *     tested programs   a wrong program that false tests let pass: discouraged at λ = 0, and encouraged at λ = 1
 *
 * A step is wasted if its true label is −1, or if the environment answers that nothing happened.
 */
import type { AdvantageSettings } from '../method/advantages.ts'
import { WORLDS } from '../worlds/index.ts'
import { batchOf, type BatchGroup } from './batch.ts'
import type { IterationView, RunView } from './fold.ts'

/** The λ between which the advantage changes its sign. */
export const FLIP = { from: 0, to: 1 } as const

export interface TellingEpisode {
  iteration: IterationView
  /** The settings that the iteration ran with. */
  settings: AdvantageSettings
  group: BatchGroup
  /** Index of the episode in the group. */
  trajectory: number
  /** Index of its telling step; 0 for a program. */
  step: number
  /** Whether the step's advantage changes its sign. If not, no episode of the run has such a step, and this is the nearest. */
  isFlipping: boolean
}

/** Most steps of an episode that can be read at a glance. */
const GLANCE = 10
const READABLE = /^[\x20-\x7e]+$/

/** A candidate with its reasons, the weightiest first; larger is better. */
interface Candidate {
  episode: TellingEpisode
  reasons: readonly number[]
}

/** Null if no episode of the run has advantages. */
export function tellingEpisode(view: RunView): TellingEpisode | null {
  const world = view.started?.settings.world
  if (world === undefined) return null
  const judged = view.iterations.flatMap((iteration) =>
    batchOf(view, iteration)
      .filter(({ episodes }) => episodes.some(({ feedback }) => feedback !== null))
      .map((group) => ({ iteration, group })),
  )
  // Where all outcomes are equal, λ = 0 leaves no advantage that could change its sign.
  const mixed = judged.filter(({ group }) => new Set(group.outcomes).size > 1)
  let best: Candidate | null = null
  for (const { iteration, group } of mixed.length > 0 ? mixed : judged) {
    const { settings } = view.at(iteration.iteration)
    if (settings === null) continue
    const found =
      group.kind === 'steps'
        ? judgedSteps(group, settings, WORLDS[world].noEffect)
        : testedPrograms(view, iteration, group, settings)
    for (const { trajectory, step, reasons } of found) {
      if (best !== null && !isBetter(reasons, best.reasons)) continue
      best = { episode: { iteration, settings, group, trajectory, step, isFlipping: reasons[0] === 1 }, reasons }
    }
  }
  return best?.episode ?? null
}

/** Whether a step achieved nothing. */
export function isWasted(
  { trueLabel, observation }: { trueLabel: 1 | -1 | null; observation: string },
  noEffect: string | null,
): boolean {
  return trueLabel === -1 || isWithoutEffect({ observation }, noEffect)
}

export function isWithoutEffect({ observation }: { observation: string }, noEffect: string | null): boolean {
  return noEffect !== null && observation.trim().startsWith(noEffect)
}

interface Found {
  trajectory: number
  step: number
  reasons: number[]
}

function judgedSteps(group: BatchGroup, settings: AdvantageSettings, noEffect: string | null): Found[] {
  const [before, after] = derivedAt(group, settings)
  return group.episodes.flatMap(({ episode: { steps, outcome } }, trajectory): Found[] => {
    const isSolved = outcome === 1
    const wasted = steps.filter((step) => isWasted(step, noEffect)).length
    const isLegible = steps.every(({ command }) => READABLE.test(command))
    const change = steps.map((_, k) => [before.policy[trajectory]![k] ?? 0, after.policy[trajectory]![k] ?? 0] as const)
    const flips = change.filter(([from, to]) => from * to < 0).length
    return steps.map((step, k): Found => {
      const [from, to] = change[k]!
      const hasReason = isSolved && isWasted(step, noEffect)
      const isFlip = hasReason && from > 0 && to < 0
      return {
        trajectory,
        step: k,
        reasons: [
          Number(isFlip),
          Number(hasReason),
          Number(isWithoutEffect(step, noEffect)),
          Number(isLegible),
          // Other distractions: wasted steps, further flips, and more steps than fit a glance.
          -wasted,
          -flips,
          -Math.max(0, steps.length - GLANCE),
          isFlip ? rounded(Math.min(from, -to)) : rounded(from - to),
          -steps.length,
        ],
      }
    })
  })
}

function testedPrograms(
  view: RunView,
  { iteration }: IterationView,
  group: BatchGroup,
  settings: AdvantageSettings,
): Found[] {
  const [before, after] = derivedAt(group, settings)
  const written = view.testsFor(iteration, group.taskId)?.written.tests ?? []
  return group.outcomes.map((outcome, trajectory): Found => {
    const from = before.policy[trajectory]![0] ?? 0
    const to = after.policy[trajectory]![0] ?? 0
    const scores = group.scores[trajectory]![0]!
    const deceived = written.filter(({ isTrue }, test) => isTrue === false && scores[test] === 1).length
    const hasReason = outcome === -1 && deceived > 0
    const isFlip = hasReason && from < 0 && to > 0
    return {
      trajectory,
      step: 0,
      reasons: [
        Number(isFlip),
        Number(hasReason),
        isFlip ? rounded(Math.min(-from, to)) : rounded(to - from),
        deceived,
      ],
    }
  })
}

function derivedAt(group: BatchGroup, settings: AdvantageSettings) {
  return [FLIP.from, FLIP.to].map((lambda) => group.derive({ ...settings, lambda })) as [
    ReturnType<BatchGroup['derive']>,
    ReturnType<BatchGroup['derive']>,
  ]
}

/** Differences below a tenth are nothing that a reader sees. */
const rounded = (value: number): number => Math.round(value * 10) / 10

function isBetter(reasons: readonly number[], than: readonly number[]): boolean {
  const first = reasons.findIndex((value, i) => value !== than[i])
  return first >= 0 && reasons[first]! > than[first]!
}
