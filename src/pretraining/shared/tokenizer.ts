/** The tokenizer that the models of all worlds share: the words and set phrases of every world, in chat form. */
import { desktopTexts } from '../desktop/tokenizer.ts'
import { DESKTOP_PHRASES } from '../desktop/phrases.ts'
import { HOUSEHOLD_PHRASES } from '../household/phrases.ts'
import { householdTexts } from '../household/tokenizer.ts'
import type { EpisodeForm } from '../plain-lines.ts'
import { buildTokenizer, pieceCounts, WORDS, type TokenizerFile } from '../vocabulary.ts'
import { chatForm, fixedTexts, SHARED_WORLDS, SPEAKERS, type SharedWorld } from './chat-form.ts'

const TEXTS: Readonly<Record<SharedWorld, (form: EpisodeForm, episodes: number) => Iterable<string>>> = {
  household: householdTexts,
  desktop: desktopTexts,
}
/** Episodes of each world that are read. They teach phrases; the words are listed. */
const SAMPLED_EPISODES = 400
const ANSWERS = ['\nAction:', '\n> Action:', '\nScore:']

/** Phrases of a world that occur in no sampled text are omitted: their tokens would learn nothing. */
export function sharedTokenizer(): TokenizerFile {
  const texts = [...sampleTexts()]
  const fixed = [...new Set([...ANSWERS, ...SHARED_WORLDS.flatMap(fixedTexts)])]
  const ofWorlds = [...new Set(worldPhrases())]
  const said = pieceCounts([...fixed, ...ofWorlds], texts, WORDS)
  return buildTokenizer([...fixed, ...ofWorlds.filter((phrase) => said.has(phrase))], texts, WORDS, SPEAKERS)
}

function* sampleTexts(): Iterable<string> {
  for (const world of SHARED_WORLDS) {
    for (const text of TEXTS[world](chatForm(world), SAMPLED_EPISODES)) yield* text.split(/<\|\w+\|>/)
  }
}

/** An observation begins a line in the built-in models' prompts, and follows "Game:" here. */
function worldPhrases(): string[] {
  return [...HOUSEHOLD_PHRASES, ...DESKTOP_PHRASES].flatMap((phrase) => {
    const [, line] = /^\n?([A-Za-z][^]*)$/.exec(phrase) ?? []
    return line === undefined ? [phrase] : [phrase, ` ${line}`]
  })
}
