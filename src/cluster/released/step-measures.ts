/**
 * The metrics of a step of a released run, collected group by group, so a dump of gigabytes is never in memory. The names are those of
 * METRICS (method/metrics.ts). The dumps contain no gradient norms, losses or log-probabilities.
 */
import { integratedFeedback, meanScore } from '../../method/feedback.ts'
import { finiteOnly } from '../../method/metrics.ts'
import type { Score } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import type { ReleasedGroup } from './groups.ts'

class Mean {
  sum = 0
  count = 0
  min = Infinity
  max = -Infinity

  add(value: number): void {
    this.sum += value
    this.count++
    this.min = Math.min(this.min, value)
    this.max = Math.max(this.max, value)
  }

  get value(): number | null {
    return this.count > 0 ? this.sum / this.count : null
  }
}

export class StepMeasures {
  /** Won and played episodes of all groups, including candidates: the accuracy in the release's line. */
  won = 0
  played = 0
  /** The same for active tasks only, by the first part of the root's name: OSWorld's line. */
  readonly byDomain = new Map<string, { won: number; played: number }>()
  activeWon = 0
  activePlayed = 0
  steps = 0
  accepted = 0
  resolved = 0
  readonly #stepScores = new Mean()
  readonly #feedback = new Mean()
  readonly #outcomes = new Mean()
  readonly #turns = new Mean()
  readonly #rightOutcomes = new Mean()
  readonly #unparsable = new Mean()
  readonly #agreement = new Mean()
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  add(group: ReleasedGroup): void {
    if (group.candidate) {
      this.resolved++
      if (group.candidate.isAccepted) this.accepted++
    }
    for (const { outcome, steps } of group.episodes) {
      this.played++
      this.steps += steps.length
      if (outcome === 1) this.won++
      this.#turns.add(steps.length)
      if (!group.candidate) {
        this.activePlayed++
        this.#outcomes.add(outcome)
        if (outcome === 1) this.activeWon++
        const domain = this.byDomain.get(group.kind) ?? { won: 0, played: 0 }
        domain.played++
        if (outcome === 1) domain.won++
        this.byDomain.set(group.kind, domain)
      }
      let voteSum = 0
      let isJudged = false
      for (const { votes } of steps) {
        const scores: Score[] = votes.map(({ score }) => score)
        if (scores.length === 0) continue
        isJudged = true
        for (const [index, score] of scores.entries()) {
          voteSum += score
          this.#unparsable.add(score === 0 ? 1 : 0)
          for (const other of scores.slice(index + 1)) this.#agreement.add(score !== 0 && score === other ? 1 : 0)
        }
        this.#stepScores.add(meanScore(scores, this.#settings.profile))
        this.#feedback.add(integratedFeedback(outcome, scores, this.#settings))
      }
      if (isJudged) this.#rightOutcomes.add(Math.sign(voteSum) === outcome ? 1 : 0)
    }
  }

  metrics(): Record<string, number> {
    const isFed = this.#feedback.count > 0
    return finiteOnly({
      'policy/acc': this.activePlayed > 0 ? this.activeWon / this.activePlayed : null,
      'policy/outcome/mean': this.#outcomes.value,
      'policy/step_score/mean': this.#stepScores.value,
      'policy/integrated_reward/mean': this.#feedback.value,
      'policy/integrated_reward/max': isFed ? this.#feedback.max : null,
      'policy/integrated_reward/min': isFed ? this.#feedback.min : null,
      'reward/outcome_acc': this.#rightOutcomes.value,
      'reward/parse_fail_rate': this.#unparsable.value,
      'reward/vote_agreement': this.#agreement.value,
      'rollout/num_turns/mean': this.#turns.value,
      'env/accepted': this.accepted,
    })
  }
}
