/** The tokenizer that the household models share: every word of the world, even if a small corpus does not use it. */
import { startPlacement } from '../../worlds/household/corpus/statistics.ts'
import { receptacleTypes } from '../../worlds/household/engine/vocabulary.ts'
import { policyPieces, rewardPieces } from './corpus.ts'
import { HOUSEHOLD_PHRASES } from './phrases.ts'
import { buildTokenizer, type TokenizerFile } from '../vocabulary.ts'

const SAMPLED_EPISODES = 1500
const HIGHEST_NUMBER = 30

export function householdTokenizer(authorTexts: Iterable<string>): TokenizerFile {
  return buildTokenizer(HOUSEHOLD_PHRASES, sampleTexts(authorTexts))
}

function* sampleTexts(authorTexts: Iterable<string>): Iterable<string> {
  for (const type of [...Object.keys(startPlacement), ...receptacleTypes]) yield ` ${type}`
  for (let number = 0; number <= HIGHEST_NUMBER; number++) yield ` ${number}`
  for (let index = 0; index < SAMPLED_EPISODES; index++) {
    const policy = policyPieces({ slip: 0.5, maxSteps: 20, hints: 0.3 }, 0, index)
    const reward = rewardPieces(
      { slips: [0.2, 0.8], maxSteps: 20, hints: 0, errors: { good: 0.4, bad: 0.4 } },
      0,
      index,
    )
    for (const { text } of [...policy, ...reward]) yield text
  }
  yield* authorTexts
}
