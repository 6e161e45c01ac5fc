/**
 * Compares the engine with an independent model of the same game files: observations, admissible commands and success, from
 * the opening to the end of random plays. official-data.ts says where it looks for game files.
 */
import { describe, expect, it } from 'vitest'
import { gameFiles, importedGame, isLeftOut, noGameFiles, print, spread } from './official-data.ts'
import { PddlGame, readGameText, type GameText } from './pddl/play.ts'
import { firstDifference, randomPlays, summaryOf, type Observed, type PlayedStep } from './random-play.ts'

const GAMES = 53
/** The other dialect differs in words alone. */
const GAMES_IN_OLD_WORDS = 15

/** The differences in game files of ALFWorld before 0.4. */
function inOldWords(text: GameText): GameText {
  const grammar = text.grammar
    .replace('You arrive at {r.name}.', 'You arrive at {lend.name}.')
    .replace('You move the {o.name} to the {r.name}.', 'You put the {o.name} in/on the {r.name}.')
    .replace('"move {o} to {r}"', '"put {o} in/on {r}"')
    .replace(/action help \{[^}]*\}/, '')
  return { ...text, grammar, pddl_domain: text.pddl_domain.replace(/\(:action help[^]*\)/, ')') }
}

function playedBy(model: PddlGame, played: readonly PlayedStep[]): Observed[] {
  const observed = (observation: string, won: boolean): Observed => {
    return { observation, admissible: model.admissibleCommands, won }
  }
  return played.map(({ command }, index) => {
    if (index === 0) return observed(model.opening, false)
    const { observation, won } = model.step(command)
    return observed(observation, won)
  })
}

describe.skipIf(isLeftOut('plays against an independent model', noGameFiles))('an independent model', () => {
  const files = spread(gameFiles, GAMES)

  it.each(['v2', 'v1'] as const)('agrees on every step of random plays in dialect %s', (dialect) => {
    const plays: PlayedStep[][] = []
    const differences: string[] = []
    const games = dialect === 'v1' ? spread(files, GAMES_IN_OLD_WORDS) : files
    for (const file of games) {
      const text = dialect === 'v1' ? inOldWords(readGameText(file.path)) : readGameText(file.path)
      for (const played of randomPlays(importedGame(file).game, dialect)) {
        const difference = firstDifference(played, playedBy(new PddlGame(text), played))
        if (difference !== null) differences.push(`${file.id}, play ${plays.length}, ${difference}`)
        plays.push(played)
      }
    }
    print(`${dialect}, ${games.length} games, ${summaryOf(plays)}; ${differences.length} differ from the model.`)
    expect(differences.slice(0, 5)).toEqual([])
    expect(plays.some((played) => played.at(-1)!.won)).toBe(true)
  })

  it('wins every walkthrough', () => {
    const failures = files.filter(({ path }) => {
      const text = readGameText(path)
      const model = new PddlGame(text)
      return !text.walkthrough.map((command) => model.step(command)).at(-1)!.won
    })
    expect(failures).toEqual([])
  })
})
