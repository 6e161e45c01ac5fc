/** The tokenizer that the desktop's models share: every word of the world, even if a small corpus does not use it. */
import { ALL_CONTROL_WORDS } from '../../worlds/desktop/generator/controls.ts'
import * as words from '../../worlds/desktop/generator/words.ts'
import { critique, type JudgedStep } from '../../worlds/desktop/roles/critiques.ts'
import { demonstrate } from '../../worlds/desktop/roles/demonstrations.ts'
import type { DemonstratedStep } from '../../worlds/plain/demonstration.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { chance, seededRandom, unit } from '../../worlds/random.ts'
import { judgedLine, plainForm, policyLine, type EpisodeForm } from '../plain-lines.ts'
import { buildTokenizer, type TokenizerFile } from '../vocabulary.ts'
import { trainingTask, varied } from './corpus.ts'
import { DESKTOP_PHRASES } from './phrases.ts'

const SAMPLED_EPISODES = 1500
const HIGHEST_NUMBER = 100

export function desktopTokenizer(authorTexts: Iterable<string>): TokenizerFile {
  return buildTokenizer(DESKTOP_PHRASES, sampleTexts(authorTexts))
}

const PLAIN = plainForm(desktopFormats)

function* sampleTexts(authorTexts: Iterable<string>): Iterable<string> {
  yield* desktopTexts()
  yield* authorTexts
}

/** Every word of the world, and episodes as the policy and the reward model read them. */
export function* desktopTexts(form: EpisodeForm = PLAIN, episodes = SAMPLED_EPISODES): Iterable<string> {
  for (const list of Object.values(words)) for (const word of [list].flat()) yield ` ${word}`
  for (const word of ALL_CONTROL_WORDS) yield ` ${word}`
  for (let number = 0; number <= HIGHEST_NUMBER; number++) yield ` ${number}`
  for (let index = 0; index < episodes; index++) {
    for (const { text } of sampleLines(index, form)) yield text
  }
}

/**
 * Broader than what the models learn from: clumsy play, and critics who are wrong, because their reasons are words, too. Ids are by
 * frequency, so other samples would make other ids.
 */
function sampleLines(index: number, { formats, spelling }: EpisodeForm) {
  const random = seededRandom('desktop tokenizer', index)
  const game = varied(trainingTask(index), { hints: 0.3, fronts: 0.3 }, random)
  const episode = demonstrate(game, { slip: 0.8 * unit(random), maxSteps: 20 }, random)
  const judge = ({ facts, trueLabel }: DemonstratedStep<JudgedStep>) => {
    const score = chance(random, 0.4) ? (-trueLabel as 1 | -1) : trueLabel
    return { reasoning: critique(facts, score), score }
  }
  const judged = judgedLine(formats, episode, judge, spelling)
  return [...policyLine(formats, episode, undefined, spelling), ...judged]
}
