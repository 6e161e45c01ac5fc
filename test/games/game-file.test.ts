import { describe, expect, it } from 'vitest'
import { generateGame } from '../../src/environments/household/generator.ts'
import { openingText } from '../../src/environments/household/observations.ts'
import { readTwPddl } from '../../src/environments/household/official/tw-pddl.ts'
import { startGame } from '../../src/environments/household/state.ts'
import { step } from '../../src/environments/household/engine.ts'
import { writtenGame } from './game-file.ts'

describe('game files that tests write', () => {
  it('read as the game that was written, whose walkthrough says the same and wins', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { path, text, walkthrough } = writtenGame(seed, 'train')
      const before = startGame(generateGame({ seed, split: 'train', sceneSize: 'compact' }))
      const read = readTwPddl(text, path)
      const after = startGame(read.game)
      expect(read.walkthrough).toEqual(walkthrough)
      expect(openingText(after)).toBe(openingText(before))
      for (const command of walkthrough) expect(step(after, command)).toEqual(step(before, command))
      expect(after.won).toBe(true)
    }
  })
})
