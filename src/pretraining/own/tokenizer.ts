/** The tokenizer that the models of one world share: every word of its demonstrations, of either verdict on their steps, and small numbers. */
import { ownFormats } from '../../worlds/own/roles/plain-roles.ts'
import { judgement } from '../../worlds/plain/roles.ts'
import { policyLine } from '../plain-lines.ts'
import { buildTokenizer, type TokenizerFile } from '../vocabulary.ts'
import type { Demonstrated } from './corpus.ts'

const PHRASES = ['\n>', '\nJudge:', '; score', '\nCritic:', '\nRewrite:']
const HIGHEST_NUMBER = 100

export function ownTokenizer(episodes: readonly Demonstrated[], authorTexts: readonly string[]): TokenizerFile {
  return buildTokenizer(PHRASES, texts(episodes, authorTexts))
}

function* texts(episodes: readonly Demonstrated[], authorTexts: readonly string[]): Iterable<string> {
  for (let number = 0; number <= HIGHEST_NUMBER; number++) yield ` ${number}`
  for (const episode of episodes) {
    for (const { text } of policyLine(ownFormats, episode)) yield text
    for (const { facts } of episode.steps) {
      yield judgement(facts.good, 1)
      yield judgement(facts.bad, -1)
    }
  }
  yield* authorTexts
}
