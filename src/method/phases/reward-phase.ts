/** Asks the reward model about the rollouts. */
import { deriveSeed } from '../random.ts'
import type { AskOptions, EvaluatedGroup } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

export function askOptions({ settings, state, signal }: RunContext, seed: number): AskOptions {
  const { evaluationsPerStep, voteFlips, rewardTemperature, topP } = settings
  return {
    evaluationsPerStep,
    voteFlips,
    temperature: rewardTemperature,
    topP,
    rewardVersion: state.rewardVersion,
    seed,
    signal,
  }
}

/** Does not ask if nothing would use the answers. */
export async function* askRewardModel(run: RunContext, groups: readonly TaskGroup[]): Events<EvaluatedGroup[]> {
  const { strategy, settings } = run
  const seed = deriveSeed(settings.seed, run.iteration, 'judge')
  const evidence = strategy.isRead(settings, run.trains)
    ? yield* run.relay('judge', strategy.ask(groups, askOptions(run, seed)))
    : groups.map((group) => strategy.withoutAsking(group))
  return groups.map((group, index) => ({ ...group, evidence: evidence[index]! }))
}
