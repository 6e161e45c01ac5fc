/**
 * The engine against published transcripts of the original: same game, same commands, same words. Games and transcripts
 * are other people's and not part of this project; point TRANSCRIPTS_DIR at a folder of transcript files that has
 * `../alfworld/alfworld_compact_v1.json.gz` beside it, or the test is skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { admissibleCommands } from '../../../src/environments/household/commands.ts'
import { step } from '../../../src/environments/household/engine.ts'
import { goalSentence } from '../../../src/environments/household/game.ts'
import { playExpert } from '../../../src/environments/household/expert.ts'
import { Knowledge } from '../../../src/environments/household/knowledge.ts'
import { seededRandom } from '../../../src/environments/household/random.ts'
import { openingText } from '../../../src/environments/household/observations.ts'
import { distanceToGoal } from '../../../src/environments/household/plan.ts'
import { startGame } from '../../../src/environments/household/state.ts'
import { readOfficialGames, type OfficialGame } from './official-games.ts'

interface Transcript {
  dialect: 'v1' | 'v2'
  loc_prefix_stripped: boolean
  intro: string
  steps: { action: string; observation: string }[]
  game_id: string
  won_after_replay: boolean
  usable_as_fidelity_test: boolean
  success_reported?: boolean
}

const repository = resolve(import.meta.dirname, '../../..')
const transcriptFolder = resolve(process.env.TRANSCRIPTS_DIR ?? join(repository, '../shared/transcripts'))
const gamesFile = resolve(transcriptFolder, '../alfworld/alfworld_compact_v1.json.gz')
const areThere = existsSync(transcriptFolder) && existsSync(gamesFile)
const print = (line: string) => process.stdout.write(`${line}\n`)
const noLimit = Number.MAX_SAFE_INTEGER

if (!areThere) print(`Skipped: no transcripts in ${transcriptFolder} or no games at ${gamesFile}.`)

describe.skipIf(!areThere)('published games', () => {
  const games = areThere ? readOfficialGames(gamesFile) : new Map<string, OfficialGame>()

  it('answers every command of every published transcript word for word', () => {
    let transcripts = 0
    let steps = 0
    const differences: string[] = []
    for (const file of readdirSync(transcriptFolder).filter((name) => name.endsWith('.json'))) {
      for (const transcript of JSON.parse(readFileSync(join(transcriptFolder, file), 'utf8')) as Transcript[]) {
        if (!transcript.usable_as_fidelity_test) continue
        const official = games.get(transcript.game_id)!
        const state = startGame(official.game, { dialect: transcript.dialect, stepLimit: noLimit })
        const words = (text: string) =>
          text
            .replace(/^-= .* =-/, '')
            .replace(/\s+/g, ' ')
            .trim()
        const opening = openingText(state, `${official.goalText}.`)
        if (words(transcript.intro) !== words(opening)) differences.push(`${transcript.game_id}: ${transcript.intro}`)
        for (const { action, observation } of transcript.steps) {
          let seen = step(state, action).observation
          if (transcript.loc_prefix_stripped) seen = seen.replace(/^You arrive at loc \d+\. /, '')
          if (seen !== observation) differences.push(`${transcript.game_id} ${action}: "${seen}" for "${observation}"`)
          steps++
        }
        if (state.won !== transcript.won_after_replay) differences.push(`${transcript.game_id}: won ${state.won}`)
        transcripts++
      }
    }
    print(`Replayed ${transcripts} transcripts, ${steps} steps, ${differences.length} differences.`)
    expect(differences.slice(0, 10)).toEqual([])
    expect(transcripts).toBeGreaterThan(0)
  })

  it('wins every official walkthrough with its last command, none of them refused, in exactly the shortest distance', () => {
    const failures: string[] = []
    for (const [id, { game, goalText, walkthrough }] of games) {
      const state = startGame(game)
      if (![0, 1].some((phrasing) => goalSentence(game.goal, phrasing as 0 | 1) === goalText))
        failures.push(`${id}: ${goalText}`)
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
  })

  it('lets the expert solve nearly every official game from what it sees, within 50 steps', () => {
    let solved = 0
    for (const { game } of games.values()) {
      if (playExpert(startGame(game), new Knowledge(game), seededRandom('expert', game.id)).won) solved++
    }
    print(`The expert solves ${solved} of ${games.size} official games.`)
    expect(solved / games.size).toBeGreaterThan(0.95)
  })

  it('lists admissible commands sorted and without doubles in every official game', () => {
    for (const { game } of games.values()) {
      const commands = admissibleCommands(startGame(game))
      expect(commands).toEqual([...new Set(commands)].sort())
    }
  })
})
