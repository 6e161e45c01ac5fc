/** What was sampled, and from which prompt: a training example once it has an advantage. */
import type { TrainingExample } from './ports.ts'

export type TrainingSample = Omit<TrainingExample, 'advantage'>

/** Drops samples without an advantage, and those without a token because the context was full. */
export function withAdvantages(
  samples: readonly TrainingSample[],
  advantages: readonly (number | null)[],
): TrainingExample[] {
  return samples.flatMap((sample, index) => {
    const advantage = advantages[index] ?? null
    return advantage === null || sample.response.length === 0 ? [] : [{ ...sample, advantage }]
  })
}
