/**
 * The shares of R, for each step of a rollout or each program of a problem:
 *
 *     R_i = O + λ · mean_j S_ij         mean S of a program: over the tests that the reward model wrote
 *
 * The shares add up to R. If the policy's signal is only one of them (`signal`), only that one is drawn. The released code
 * trains programs on the share of hidden tests that they pass, which is then the only share.
 */
import type { AdvantageSettings } from '../../../method/advantages.ts'
import { meanScore } from '../../../method/feedback.ts'
import type { Rederived } from '../../../runs/batch.ts'
import { decimal, signed } from '../../kit/format.ts'
import { plainProse } from '../../kit/math/prose.ts'
import { commandOf } from '../../run/step-words.ts'

export type ShareId = 'O' | 'S' | 'hidden'

export interface Share {
  id: ShareId
  value: number
  /** Its extent in units of R. Positive shares stack upwards, negative ones downwards. */
  from: number
  to: number
}

export interface DecomposedFeedback {
  /** Index of the step in its rollout, or of the program. */
  index: number
  shares: Share[]
  feedback: number
  /** Null if it does not train the policy. */
  advantage: number | null
  /** All of its numbers, as a title and for screen readers. */
  name: string
}

export interface Decomposition {
  noun: 'Step' | 'Program'
  /** Names of the shares. */
  legend: { id: ShareId; text: string }[]
  bars: DecomposedFeedback[]
  /** The scale of R. It depends only on λ, so that rollouts are comparable. */
  low: number
  high: number
  /** The scale of A ends at ± this, for all rollouts of a task. */
  advantageLimit: number
}

const SHARE_NAMES: Readonly<Record<ShareId, string>> = { O: '$O$', S: '$λ · mean S$', hidden: 'hidden tests passed' }

/** Decomposes a rollout, by its index, or all programs of a problem. Null if there is no such rollout. */
export function decompose(
  { group, now }: Rederived,
  settings: AdvantageSettings,
  trajectory: number,
): Decomposition | null {
  const isSteps = group.kind === 'steps'
  if (isSteps && !group.scores[trajectory]) return null
  const places = isSteps
    ? group.scores[trajectory]!.map((_, step) => ({ trajectory, step }))
    : group.outcomes.map((_, program) => ({ trajectory: program, step: 0 }))
  const isHidden = !isSteps && settings.profile === 'reference'
  const nameOf = (id: ShareId) => (id === 'S' && settings.signal === 'step' ? '$mean S$' : SHARE_NAMES[id])
  const legendOf = (id: ShareId) => (id === 'S' && !isSteps ? `${nameOf(id)} of the written tests` : nameOf(id))
  const noun = isSteps ? 'Step' : 'Program'

  const bars = places.map(({ trajectory: row, step }, index): DecomposedFeedback => {
    const outcome = group.outcomes[row]!
    const votes = meanScore(group.scores[row]![step]!, settings.profile)
    const values: [ShareId, number][] = isHidden
      ? [['hidden', group.passRatios[row]!]]
      : settings.signal === 'outcome'
        ? [['O', outcome]]
        : settings.signal === 'step'
          ? [['S', votes]]
          : [
              ['O', outcome],
              ['S', settings.lambda * votes],
            ]
    const feedback = now.feedback[row]![step]!
    const advantage = now.policy[row]![step] ?? null
    const numbers = values.map(
      ([id, value]) => `${plainProse(nameOf(id))} ${id === 'hidden' ? decimal(value) : signed(value)}`,
    )
    const worth = advantage === null ? 'does not train' : `advantage ${signed(advantage)}`
    const action = isSteps ? [commandOf(group, row, step)] : []
    const name = [`${noun} ${index + 1}`, ...action, ...numbers, `R ${signed(feedback)}`, worth].join(', ')
    return { index, shares: stacked(values), feedback, advantage, name }
  })

  const ids: ShareId[] = isHidden
    ? ['hidden']
    : settings.signal === 'integrated'
      ? ['O', 'S']
      : settings.signal === 'step'
        ? ['S']
        : ['O']
  const most = !isHidden && settings.signal === 'integrated' ? Math.max(2, 1 + settings.lambda) : 1
  const largest = now.policy.flat().reduce<number>((max, value) => Math.max(max, Math.abs(value ?? 0)), 0)
  return {
    noun,
    legend: ids.map((id) => ({ id, text: legendOf(id) })),
    bars,
    low: isHidden ? 0 : -most,
    high: most,
    advantageLimit: Math.max(2, largest),
  }
}

/** Stacks positive values upwards and negative ones downwards. */
function stacked(values: readonly [ShareId, number][]): Share[] {
  let above = 0
  let below = 0
  return values.map(([id, value]) => {
    const from = value < 0 ? below : above
    const to = from + value
    if (value < 0) below = to
    else above = to
    return { id, value, from, to }
  })
}
