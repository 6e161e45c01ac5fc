/** Asking the reward model about the programs or steps that were rolled out: how, is the strategy's. */
import { deriveSeed } from '../random.ts'
import type { AskOptions } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

/** What the reward model is asked with. */
export function askOptions({ settings, state, signal }: RunContext, seed: number): AskOptions {
  const { evaluationsPerStep, rewardTemperature, topP } = settings
  return { evaluationsPerStep, temperature: rewardTemperature, topP, rewardVersion: state.rewardVersion, seed, signal }
}

/** Left out only where nobody would read it. */
export async function* askRewardModel(run: RunContext, groups: readonly TaskGroup[]): Events<void> {
  if (!run.strategy.isRead(run.settings, run.trains)) return
  const seed = deriveSeed(run.settings.seed, run.iteration, 'judge')
  yield* run.relay('judge', run.strategy.ask(groups, askOptions(run, seed)))
}
