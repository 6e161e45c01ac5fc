/** The tests that the reward model wrote for a task, with the results of the task's programs. */
import type { AdvantageSettings, GroupAdvantages, ScoredTrajectory } from '../advantages.ts'
import type { CriticReasoning, Direction } from '../ports.ts'
import type { RewardEvidence, RewardExamples, Sampling } from '../reward-strategy.ts'
import type { Rollout } from '../rollout.ts'
import { withAdvantages } from '../training-sample.ts'
import { programAdvantages } from './advantages.ts'
import { programCriticSummary } from './critic-summary.ts'
import { programGroupOf, scoresOf, type ProgramGroup } from './program-group.ts'
import type { TaskTests } from './write-tests.ts'

export class TestEvidence implements RewardEvidence {
  /** Null if the reward model was not asked. */
  readonly tests: TaskTests | null
  readonly group: ProgramGroup
  readonly #rollouts: readonly Rollout[]

  /** Throws if an episode is not one program. */
  constructor(rollouts: readonly Rollout[], tests: TaskTests | null) {
    this.tests = tests
    this.group = programGroupOf(rollouts, tests?.passed)
    this.#rollouts = rollouts
  }

  get isAsked(): boolean {
    return this.tests !== null
  }

  get samplings(): readonly Sampling[] {
    return this.tests ? [this.tests] : []
  }

  /** A program is one step, and its results on the tests are that step's scores. */
  get trajectories(): ScoredTrajectory[] {
    return this.group.programs.map(({ outcome }, program) => ({
      outcome,
      scores: [scoresOf(this.group.passed[program]!)],
    }))
  }

  advantages(settings: AdvantageSettings): GroupAdvantages {
    return programAdvantages(this.group, settings)
  }

  /** A test is about all programs, so its example belongs to none of them. */
  examples({ tests }: GroupAdvantages): RewardExamples {
    return { ofRollout: [], ofTask: withAdvantages(this.tests?.samples ?? [], tests?.reward ?? []) }
  }

  criticSummary(direction: Direction): string {
    return programCriticSummary(
      this.#rollouts.map(({ episode }) => episode),
      this.tests,
      direction,
    )
  }

  /** None: verdicts of tests are facts, which can be counted however their writer puts its reasons. */
  criticReasonings(): CriticReasoning[] {
    return []
  }
}
