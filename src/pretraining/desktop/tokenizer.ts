/** The tokenizer that the desktop's models share: every word of the world, even if a small corpus does not use it. */
import { ALL_CONTROL_WORDS } from '../../worlds/desktop/generator/controls.ts'
import * as words from '../../worlds/desktop/generator/words.ts'
import { critique } from '../../worlds/desktop/roles/critiques.ts'
import { demonstrate } from '../../worlds/desktop/roles/demonstrations.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { chance, seededRandom, unit } from '../../worlds/random.ts'
import { judgedLine, policyLine } from '../plain-lines.ts'
import { buildTokenizer, type TokenizerFile } from '../vocabulary.ts'
import { trainingTask, varied } from './corpus.ts'
import { DESKTOP_PHRASES } from './phrases.ts'

const SAMPLED_EPISODES = 1500
const HIGHEST_NUMBER = 100

export function desktopTokenizer(authorTexts: Iterable<string>): TokenizerFile {
  return buildTokenizer(DESKTOP_PHRASES, sampleTexts(authorTexts))
}

function* sampleTexts(authorTexts: Iterable<string>): Iterable<string> {
  for (const list of Object.values(words)) for (const word of [list].flat()) yield ` ${word}`
  for (const word of ALL_CONTROL_WORDS) yield ` ${word}`
  for (let number = 0; number <= HIGHEST_NUMBER; number++) yield ` ${number}`
  for (let index = 0; index < SAMPLED_EPISODES; index++) {
    for (const { text } of sampleLines(index)) yield text
  }
  yield* authorTexts
}

/**
 * Broader than what the models learn from: clumsy play, and critics who are wrong, because their reasons are words, too. Ids are by
 * frequency, so other samples would make other ids.
 */
function sampleLines(index: number) {
  const random = seededRandom('desktop tokenizer', index)
  const game = varied(trainingTask(index), { hints: 0.3, fronts: 0.3 }, random)
  const episode = demonstrate(game, { slip: 0.8 * unit(random), maxSteps: 20 }, random)
  const judged = judgedLine(desktopFormats, episode, ({ facts, trueLabel }) => {
    const score = chance(random, 0.4) ? (-trueLabel as 1 | -1) : trueLabel
    return { reasoning: critique(facts, score), score }
  })
  return [...policyLine(desktopFormats, episode), ...judged]
}
