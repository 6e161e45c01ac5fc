/** Reads the sentence "Your task is to: …" from a game's grammar and compares it with the goal. */
import { goalSentence, taskTypes, type Goal, type HouseholdGame } from '../engine/game.ts'
import { receptacleTypes } from '../engine/vocabulary.ts'
import { GameFileError } from './game-file-error.ts'
import { isObjectType } from './object-types.ts'

const PHRASINGS = [0, 1] as const

type Wording = Pick<HouseholdGame, 'phrasing' | 'sentence'>

/**
 * How the game words its goal. `phrasing` selects one of ALFWorld's two sentences; a crowd worker's sentence is kept verbatim.
 * If the sentence describes another goal (RLAnything's own rewrites keep the old sentence), it is replaced by one for the
 * tested goal in the same phrasing. Throws a GameFileError.
 */
export function readWording(grammar: string, goal: Goal): Wording {
  const written = /"rhs"\s*:\s*"Your task is to: ([\s\S]*?)"\s*\}/.exec(grammar)?.[1]
  if (written === undefined) throw new GameFileError('Its grammar has no sentence "Your task is to: …".')
  const sentence = unescaped(written)
  for (const phrasing of PHRASINGS) {
    if (sentence === `${goalSentence(goal, phrasing)}.`) return { phrasing }
  }
  for (const taskType of taskTypes) {
    for (const phrasing of PHRASINGS) {
      const anyWords = goalSentence({ taskType, object: '(\\w+)', target: '(\\w+)' }, phrasing)
      const [, first, second] = new RegExp(`^${anyWords}\\.$`).exec(sentence) ?? []
      if (first !== undefined && second !== undefined && isObjectType(first) && isTarget(second)) {
        return { phrasing }
      }
    }
  }
  return { phrasing: 0, sentence }
}

function isTarget(type: string): boolean {
  return isObjectType(type) || receptacleTypes.some((known) => known === type)
}

/** Decodes escapes. JSON.parse cannot: crowd workers' sentences were pasted into the grammar's JSON unescaped. */
function unescaped(text: string): string {
  return text.replace(/\\(["\\/])/g, '$1').replace(/\\n/g, '\n')
}
