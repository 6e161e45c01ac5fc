import { describe, expect, it } from 'vitest'
import { taskSentence } from '../../../../src/worlds/household/engine/game.ts'
import { readTwPddl } from '../../../../src/worlds/household/official/tw-pddl.ts'
import { isLeftOut, noGames, officialGames, print } from '../official-data.ts'
import { gameText } from './game-text.ts'
import { expectSame } from './same-game.ts'

describe.skipIf(isLeftOut('all official games, written and read again', noGames))('every official game', () => {
  it('is the same after being written to a file and read', () => {
    let count = 0
    for (const [id, { game, goalText, walkthrough }] of officialGames()) {
      const text = gameText(game, { sentence: `${goalText}.`, walkthrough })
      const read = readTwPddl(text, `json_2.1.1/${id}/game.tw-pddl`)
      expectSame(read.game, game)
      expect(taskSentence(read.game)).toBe(`${goalText}.`)
      expect(read.walkthrough).toEqual(walkthrough)
      count++
    }
    print(`Wrote and read ${count} games.`)
  })
})
