/** The tokenizer that the household models share: every word of the world, even if a small corpus does not use it. */
import { startPlacement } from '../../worlds/household/corpus/statistics.ts'
import { receptacleTypes } from '../../worlds/household/engine/vocabulary.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { critique, type JudgedStep } from '../../worlds/household/roles/critiques.ts'
import { demonstrate } from '../../worlds/household/roles/demonstrations.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { chance, seededRandom, unit, type Random } from '../../worlds/random.ts'
import type { Demonstration } from '../../worlds/plain/demonstration.ts'
import { judgedLine, policyLine } from '../plain-lines.ts'
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
    for (const { text } of [...sampleActing(index), ...sampleJudging(index)]) yield text
  }
  yield* authorTexts
}

/*
 * What is sampled is broader than what the models learn from: all task types, clumsy play, and critics who are wrong, because
 * their reasons are words, too. Ids are by frequency, so other samples would make other ids.
 */

function sampleActing(index: number) {
  const random = seededRandom('policy corpus', 0, index)
  return policyLine(householdFormats, sampleDemonstration(index, 0.5, 0.3, random))
}

function sampleJudging(index: number) {
  const random = seededRandom('reward corpus', 0, index)
  const slip = 0.2 + (0.8 - 0.2) * unit(random)
  return judgedLine(householdFormats, sampleDemonstration(index, slip, 0, random), ({ facts, trueLabel }) => {
    const score = chance(random, 0.4) ? (-trueLabel as 1 | -1) : trueLabel
    return { reasoning: critique(facts, score), score }
  })
}

function sampleDemonstration(index: number, slip: number, hints: number, random: Random): Demonstration<JudgedStep> {
  const game = generateGame({ seed: index, split: 'train', sceneSize: 'compact' })
  const withHint = chance(random, hints)
  return demonstrate(game, { slip, maxSteps: 20, withHint }, random)
}
