/**
 * The engine against an independent model of the same game files: what is seen, what can be done and whether the game is
 * won, from the first word to the end of random plays. See official-data.ts for where game files are looked for.
 */
import { describe, expect, it } from 'vitest'
import { gameFiles, isLeftOut, noGameFiles, noGames, officialGames, print, spread } from './official-data.ts'
import { PddlGame, pythonStrip, readGameText, type GameText } from './pddl/play.ts'
import { randomPlay, type PlayedStep } from './random-play.ts'

const GAMES = 53
const STEPS = 50
/** Per game: two plays all at random, one that reaches the goal after some detours. */
const PLAYS = [0, 0, 0.3]

/** What the game file of an ALFWorld before 0.4 says otherwise. */
function inOldWords(text: GameText): GameText {
  const grammar = text.grammar
    .replace('You arrive at {r.name}.', 'You arrive at {lend.name}.')
    .replace('You move the {o.name} to the {r.name}.', 'You put the {o.name} in/on the {r.name}.')
    .replace('"move {o} to {r}"', '"put {o} in/on {r}"')
    .replace(/action help \{[^}]*\}/, '')
  return { ...text, grammar, pddl_domain: text.pddl_domain.replace(/\(:action help[^]*\)/, ')') }
}

/** The first difference, if there is one. */
function differenceOf(played: readonly PlayedStep[], model: PddlGame): string | null {
  for (const [index, { command, ...engine }] of played.entries()) {
    const { observation, won } = index === 0 ? { observation: model.opening, won: false } : model.step(command)
    const expected = { observation, admissible: model.admissibleCommands, won }
    if (JSON.stringify(engine) === JSON.stringify({ ...engine, ...expected })) continue
    return `step ${index}, ${JSON.stringify(command)}: ${JSON.stringify(engine)} for ${JSON.stringify(expected)}`
  }
  return null
}

describe.skipIf(isLeftOut('plays against an independent model', noGameFiles ?? noGames))('an independent model', () => {
  const games = officialGames()
  const files = spread(gameFiles, GAMES)

  it.each(['v2', 'v1'] as const)('agrees on every step of random plays in dialect %s', (dialect) => {
    const differences: string[] = []
    const verbs = new Map<string, number>()
    const sum = { plays: 0, steps: 0, won: 0 }
    for (const { id, path } of files) {
      const { game, goalText } = games.get(id)!
      const text = dialect === 'v1' ? inOldWords(readGameText(path)) : readGameText(path)
      for (const [seed, guidance] of PLAYS.entries()) {
        const played = randomPlay(game, { dialect, goalText, steps: STEPS, guidance, seed })
        const difference = differenceOf(played, new PddlGame(text))
        if (difference !== null) differences.push(`${id}, seed ${seed}, ${difference}`)
        for (const { command, observation } of played.slice(1)) {
          const verb = observation === 'Nothing happens.' ? 'refused' : pythonStrip(command).split(' ', 1)[0]!
          verbs.set(verb, (verbs.get(verb) ?? 0) + 1)
        }
        sum.plays++
        sum.steps += played.length - 1
        if (played.at(-1)!.won) sum.won++
      }
    }
    const kinds = [...verbs].sort((a, b) => b[1] - a[1]).map(([verb, count]) => `${verb} ${count}`)
    print(
      `${dialect}: ${sum.plays} plays of ${files.length} games, ${sum.steps} steps, ${sum.won} won, ` +
        `${differences.length} differences. ${kinds.join(', ')}.`,
    )
    expect(differences.slice(0, 5)).toEqual([])
    expect(sum.won).toBeGreaterThan(0)
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
