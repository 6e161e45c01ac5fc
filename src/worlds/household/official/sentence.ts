/** The sentence "Your task is to: …" of a game's grammar, and what it has to do with the goal. */
import { goalSentence, taskTypes, type Goal, type HouseholdGame } from '../engine/game.ts'
import { receptacleTypes } from '../engine/vocabulary.ts'
import { GameFileError } from './game-file-error.ts'
import { isObjectType } from './object-types.ts'

const PHRASINGS = [0, 1] as const

type Wording = Pick<HouseholdGame, 'phrasing' | 'sentence'>

/**
 * How the game tells its goal. ALFWorld writes one of two sentences, which `phrasing` repeats; a crowd worker's is kept
 * as it is. A sentence that ALFWorld wrote for another goal (RLAnything's own rewrites leave the sentence before) is not
 * kept: success is tested on the goal, so the sentence is written from the goal in the same phrasing. Throws GameFileError.
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

/** The grammar holds JSON, into which crowd workers' sentences were pasted as they are, quotation marks included. */
function unescaped(text: string): string {
  return text.replace(/\\(["\\/])/g, '$1').replace(/\\n/g, '\n')
}
