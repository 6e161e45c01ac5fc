/** The engine and the expert on all official games. official-data.ts says where it looks for them. */
import { describe, expect, it } from 'vitest'
import { admissibleCommands } from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { taskSentence } from '../../../src/worlds/household/engine/game.ts'
import { playExpert } from '../../../src/worlds/household/planning/expert.ts'
import { Knowledge } from '../../../src/worlds/household/planning/knowledge.ts'
import { seededRandom } from '../../../src/worlds/random.ts'
import { distanceToGoal } from '../../../src/worlds/household/planning/plan.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'
import { isLeftOut, noGames, officialGames, print } from './official-data.ts'

describe.skipIf(isLeftOut('all official games', noGames))('the official games', () => {
  const games = officialGames()

  it('are won by their walkthroughs with the last command, without refusals, in the shortest distance', () => {
    const failures: string[] = []
    for (const [id, { game, goalText, walkthrough }] of games) {
      const state = startGame(game)
      if (taskSentence(game) !== `${goalText}.`) failures.push(`${id}: ${goalText}`)
      const distance = distanceToGoal(state)
      if (distance !== walkthrough.length)
        failures.push(`${id}: distance ${distance}, walkthrough ${walkthrough.length}`)
      for (const command of walkthrough) {
        if (state.won) failures.push(`${id}: won before ${command}`)
        if (!step(state, command).accepted) failures.push(`${id}: ${command} refused`)
      }
      if (!state.won) failures.push(`${id}: not won`)
    }
    print(`Played ${games.size} walkthroughs.`)
    expect(failures.slice(0, 10)).toEqual([])
    expect(games.size).toBeGreaterThan(0)
  })

  it('are nearly all solved by the expert within 50 steps', () => {
    let solved = 0
    let steps = 0
    for (const { game } of games.values()) {
      const run = playExpert(startGame(game), new Knowledge(game), seededRandom('expert', game.id))
      if (!run.won) continue
      solved++
      steps += run.commands.length
    }
    print(`The expert solves ${solved} of ${games.size} official games, in ${(steps / solved).toFixed(2)} steps.`)
    expect(solved / games.size).toBeGreaterThan(0.95)
  })

  it('list admissible commands sorted and without duplicates', () => {
    for (const { game } of games.values()) {
      const commands = admissibleCommands(startGame(game))
      expect(commands).toEqual([...new Set(commands)].sort())
    }
  })
})
