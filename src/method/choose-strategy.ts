/** Chooses how the reward model is asked: its format decides. */
import type { LoopPorts } from './loop-contract.ts'
import type { RewardStrategy } from './reward-strategy.ts'
import { stepJudging } from './step-judging/strategy.ts'
import { testWriting } from './test-writing/strategy.ts'

/** Throws if the reward model writes tests and there is no port to run them. */
export function rewardStrategy({ reward, formats, unitTests }: LoopPorts): RewardStrategy {
  const format = formats.reward
  if (format.kind === 'step-judge') return stepJudging(reward, format)
  if (!unitTests) {
    throw new Error(
      'The reward model writes unit tests, but the loop has no port to run them. ' +
        'Pass a UnitTestPort as `unitTests`, beside the environment.',
    )
  }
  return testWriting(reward, format, unitTests)
}
