/**
 * Compares the engine with published transcripts of the original: same game, same commands, same words. Transcripts are not
 * part of this project: they are read from `../shared/transcripts` beside the repository and from the folder in
 * TRANSCRIPTS_DIR. For the games see official-data.ts. Without transcripts or games the test is skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { openingText } from '../../../src/worlds/household/engine/observations.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'
import { isLeftOut, noGames, officialGames, print } from './official-data.ts'

interface Transcript {
  game_id: string
  dialect: 'v1' | 'v2'
  /** The agent deleted "You arrive at loc N. " before it wrote the log. */
  loc_prefix_stripped: boolean
  intro: string
  steps: { action: string; observation: string }[]
  won_after_replay: boolean
  /** False where a log was edited by hand or by the harness that kept it. */
  usable_as_fidelity_test?: boolean
}

const named = process.env.TRANSCRIPTS_DIR ?? ''
const folders = new Set([
  resolve(import.meta.dirname, '../../../../shared/transcripts'),
  ...(named === '' ? [] : [resolve(named)]),
])
const files = [...folders]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, name)),
  )
const reason = files.length === 0 ? `there is no *.json in ${[...folders].join(' or ')}` : noGames
const stepLimit = Number.MAX_SAFE_INTEGER

/** Logs differ in the line breaks of the opening, and in whether they include the title. */
function words(opening: string): string {
  return opening
    .replace(/^-= .* =-/, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The differences, by game, step and command. */
function differencesOf({ game_id, dialect, ...transcript }: Transcript): string[] {
  const official = officialGames().get(game_id)
  if (!official) return [`${game_id}: there is no such game`]
  const differences: string[] = []
  const state = startGame(official.game, { dialect, stepLimit })
  const opening = openingText(state)
  if (words(transcript.intro) !== words(opening)) differences.push(`${game_id}: "${opening}" for "${transcript.intro}"`)
  transcript.steps.forEach(({ action, observation }, index) => {
    let seen = step(state, action).observation
    if (transcript.loc_prefix_stripped) seen = seen.replace(/^You arrive at loc \d+\. /, '')
    if (seen !== observation) {
      differences.push(`${game_id}, step ${index + 1}, ${action}: "${seen}" for "${observation}"`)
    }
  })
  if (state.won !== transcript.won_after_replay) {
    differences.push(`${game_id}: ${state.won ? 'won' : 'not won'}, unlike the original`)
  }
  return differences
}

describe.skipIf(isLeftOut('published transcripts', reason))('a published transcript', () => {
  const sum = { transcripts: 0, steps: 0 }

  it.each(files)('is reproduced word for word: %s', (file) => {
    const transcripts = JSON.parse(readFileSync(file, 'utf8')) as Transcript[]
    const usable = transcripts.filter((transcript) => transcript.usable_as_fidelity_test !== false)
    const steps = usable.reduce((count, transcript) => count + transcript.steps.length, 0)
    const differences = usable.flatMap(differencesOf)
    const leftOut = transcripts.length - usable.length
    print(
      `${file}: ${usable.length} transcripts, ${steps} steps, ${differences.length} differences` +
        (leftOut > 0 ? `; ${leftOut} left out, which their records call unusable.` : '.'),
    )
    sum.transcripts += usable.length
    sum.steps += steps
    expect(differences.slice(0, 10)).toEqual([])
  })

  it('exists', () => {
    print(`Replayed ${sum.transcripts} transcripts, ${sum.steps} steps, from ${files.length} files.`)
    expect(sum.steps).toBeGreaterThan(0)
    if (named !== '') expect(files.filter((file) => file.startsWith(resolve(named))).length, named).toBeGreaterThan(0)
  })
})
