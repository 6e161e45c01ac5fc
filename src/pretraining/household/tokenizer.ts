/** The tokenizer that the household models share: every word of the world, even if a small corpus does not use it. */
import { startPlacement } from '../../worlds/household/corpus/statistics.ts'
import { receptacleTypes } from '../../worlds/household/engine/vocabulary.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { critique, type JudgedStep } from '../../worlds/household/roles/critiques.ts'
import { demonstrate } from '../../worlds/household/roles/demonstrations.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { chance, seededRandom, unit, type Random } from '../../worlds/random.ts'
import type { DemonstratedStep, Demonstration } from '../../worlds/plain/demonstration.ts'
import { judgedLine, plainForm, policyLine, type EpisodeForm } from '../plain-lines.ts'
import { HOUSEHOLD_PHRASES } from './phrases.ts'
import { buildTokenizer, type TokenizerFile } from '../vocabulary.ts'

const SAMPLED_EPISODES = 1500
const HIGHEST_NUMBER = 30

export function householdTokenizer(authorTexts: Iterable<string>): TokenizerFile {
  return buildTokenizer(HOUSEHOLD_PHRASES, sampleTexts(authorTexts))
}

const PLAIN = plainForm(householdFormats)

function* sampleTexts(authorTexts: Iterable<string>): Iterable<string> {
  yield* householdTexts()
  yield* authorTexts
}

/** Every word of the world, and episodes as the policy and the reward model read them. */
export function* householdTexts(form: EpisodeForm = PLAIN, episodes = SAMPLED_EPISODES): Iterable<string> {
  for (const type of [...Object.keys(startPlacement), ...receptacleTypes]) yield ` ${type}`
  for (let number = 0; number <= HIGHEST_NUMBER; number++) yield ` ${number}`
  for (let index = 0; index < episodes; index++) {
    for (const { text } of [...sampleActing(index, form), ...sampleJudging(index, form)]) yield text
  }
}

/*
 * What is sampled is broader than what the models learn from: all task types, clumsy play, and critics who are wrong, because
 * their reasons are words, too. Ids are by frequency, so other samples would make other ids.
 */

function sampleActing(index: number, { formats, spelling }: EpisodeForm) {
  const random = seededRandom('policy corpus', 0, index)
  return policyLine(formats, sampleDemonstration(index, 0.5, 0.3, random), undefined, spelling)
}

function sampleJudging(index: number, { formats, spelling }: EpisodeForm) {
  const random = seededRandom('reward corpus', 0, index)
  const slip = 0.2 + (0.8 - 0.2) * unit(random)
  const judge = ({ facts, trueLabel }: DemonstratedStep<JudgedStep>) => {
    const score = chance(random, 0.4) ? (-trueLabel as 1 | -1) : trueLabel
    return { reasoning: critique(facts, score), score }
  }
  return judgedLine(formats, sampleDemonstration(index, slip, 0, random), judge, spelling)
}

function sampleDemonstration(index: number, slip: number, hints: number, random: Random): Demonstration<JudgedStep> {
  const game = generateGame({ seed: index, split: 'train', sceneSize: 'compact' })
  const withHint = chance(random, hints)
  return demonstrate(game, { slip, maxSteps: 20, withHint }, random)
}
