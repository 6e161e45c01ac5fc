/** Asks the reward model about the rollouts, from when they begin. */
import { deriveSeed } from '../random.ts'
import type { AskOptions, EvaluatedGroup, Inquiry } from '../reward-strategy.ts'
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

/** Questions about this iteration's rollouts; null if nothing would use the answers. */
export function inquire(run: RunContext): Inquiry | null {
  const { strategy, settings } = run
  if (!strategy.isRead(settings, run.trains)) return null
  return strategy.inquire(askOptions(run, deriveSeed(settings.seed, run.iteration, 'judge')))
}

export async function* askRewardModel(
  run: RunContext,
  groups: readonly TaskGroup[],
  inquiry: Inquiry | null,
): Events<EvaluatedGroup[]> {
  const evidence = inquiry
    ? yield* run.relay('judge', inquiry.ask(groups))
    : groups.map((group) => run.strategy.withoutAsking(group))
  return groups.map((group, index) => ({ ...group, evidence: evidence[index]! }))
}
