/** The reward model's votes on every step of a task's trajectories. */
import type { AdvantageSettings, GroupAdvantages, ScoredTrajectory } from '../advantages.ts'
import type { EpisodeFinished, Evaluation } from '../events.ts'
import type { CriticReasoning, Direction } from '../ports.ts'
import type { RewardEvidence, RewardExamples, Sampling } from '../reward-strategy.ts'
import type { Rollout } from '../rollout.ts'
import { withAdvantages } from '../training-sample.ts'
import { groupAdvantages } from './advantages.ts'
import { criticReasonings } from './critic-reasonings.ts'
import { criticSummary } from './critic-summary.ts'
import type { Judgement } from './judging.ts'

/** `votes[step][evaluation]`; empty if the episode was not judged. */
export interface JudgedEpisode {
  episode: EpisodeFinished
  votes: readonly (readonly Evaluation[])[]
}

export class VoteEvidence implements RewardEvidence {
  readonly isAsked: boolean
  readonly episodes: readonly JudgedEpisode[]
  readonly #judgements: readonly Judgement[]

  /** `judgements` are those of the rollouts, in order; null if the reward model was not asked. */
  constructor(rollouts: readonly Rollout[], judgements: readonly Judgement[] | null) {
    this.isAsked = judgements !== null
    this.#judgements = judgements ?? []
    this.episodes = rollouts.map(({ episode }, index) => ({ episode, votes: judgements?.[index]?.votes ?? [] }))
  }

  get samplings(): readonly Sampling[] {
    return this.#judgements
  }

  get trajectories(): ScoredTrajectory[] {
    return this.episodes.map(({ episode, votes }) => ({
      outcome: episode.outcome,
      scores: episode.steps.map((_, step) => (votes[step] ?? []).map(({ score }) => score)),
    }))
  }

  advantages(settings: AdvantageSettings): GroupAdvantages {
    return groupAdvantages(this.trajectories, settings)
  }

  examples({ reward }: GroupAdvantages): RewardExamples {
    const ofRollout = this.#judgements.map(({ samples }, rollout) =>
      samples.flatMap((ofStep, step) => withAdvantages(ofStep, reward[rollout]![step]!)),
    )
    return { ofRollout, ofTask: [] }
  }

  criticSummary(direction: Direction): string {
    return criticSummary(this.#voted, direction)
  }

  criticReasonings(direction: Direction): CriticReasoning[] {
    return criticReasonings(this.#voted, direction)
  }

  get #voted() {
    return this.episodes.map(({ episode, votes }) => ({ outcome: episode.outcome, votes }))
  }
}
