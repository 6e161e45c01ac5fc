/**
 * Measures the Python package on the same games and commands as our engine, after comparing everything that it shows. Requires a
 * Python with `alfworld` and TextWorld; alfworld.py says what is timed.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import type { OfficialPlay, PeerSpeed } from '../../bench/environment.ts'
import type { SuiteContext } from '../../bench/suite.ts'
import { admissibleCommands } from '../../worlds/household/engine/commands.ts'
import { step } from '../../worlds/household/engine/step.ts'
import { openingText } from '../../worlds/household/engine/observations.ts'
import { startGame } from '../../worlds/household/engine/state.ts'
import { errorText } from '../../threads/error-text.ts'

const versionsSchema = v.object({ alfworld: v.string(), textworld: v.string(), python: v.string() })
const momentSchema = v.object({ observation: v.string(), won: v.boolean(), admissible: v.array(v.string()) })
const playedSchema = v.object({
  moments: v.array(momentSchema),
  resetSeconds: v.number(),
  stepSeconds: v.number(),
})
type Moment = v.InferOutput<typeof momentSchema>

const SCRIPT = fileURLToPath(new URL('./alfworld.py', import.meta.url))
/** Last characters of its error output that are kept, to report the reason. */
const LAST_CHARACTERS = 400

/** `python` is the command of a Python with alfworld; without one, nothing is measured. */
export function alfworldPeer(python: string | undefined) {
  return async (
    plays: readonly OfficialPlay[],
    context: SuiteContext,
  ): Promise<PeerSpeed | { notMeasured: string }> => {
    if (!python) return { notMeasured: 'ALFWORLD_PYTHON does not name a Python with alfworld and TextWorld.' }
    const sum = { resetSeconds: 0, stepSeconds: 0, steps: 0, moments: 0 }
    const differences: string[] = []
    let subject = 'alfworld'
    let index = -1
    const folder = await mkdtemp(join(tmpdir(), 'bench-alfworld-'))
    try {
      const tasks = await Promise.all(
        plays.map(async ({ commands, bytes }, game) => {
          const file = join(folder, `${game}.tw-pddl`)
          await writeFile(file, await bytes())
          return { file, commands }
        }),
      )
      for await (const line of linesOf(python, tasks, context.signal)) {
        if (index < 0) {
          const { alfworld, textworld, python: version } = v.parse(versionsSchema, JSON.parse(line))
          subject = `alfworld ${alfworld}, TextWorld ${textworld}, Python ${version}`
        } else {
          const play = plays[index]!
          const { moments, resetSeconds, stepSeconds } = v.parse(playedSchema, JSON.parse(line))
          differences.push(...differencesOf(play, moments))
          sum.resetSeconds += resetSeconds
          sum.stepSeconds += stepSeconds
          sum.steps += play.commands.length
          sum.moments += moments.length
          context.progress(`${subject}: played ${index + 1} of ${plays.length} games`)
        }
        index++
      }
    } catch (error) {
      context.signal?.throwIfAborted()
      return { notMeasured: errorText(error) }
    } finally {
      await rm(folder, { recursive: true })
    }
    const compared = `${sum.moments} observations and lists compared`
    return {
      subject,
      stepsPerSecond: sum.steps / sum.stepSeconds,
      resetsPerSecond: plays.length / sum.resetSeconds,
      note:
        differences.length === 0
          ? `CPU time of one play; ${compared}, all equal`
          : `CPU time of one play; ${compared}, ${differences.length} DIFFER, first ${differences[0]}`,
    }
  }
}

/** Where our engine shows something else, by game and command. */
function differencesOf({ game, commands }: OfficialPlay, moments: readonly Moment[]): string[] {
  const state = startGame(game)
  const ours = [
    { observation: openingText(state), won: state.won, admissible: admissibleCommands(state) },
    ...commands.map((command) => {
      const { observation, won } = step(state, command)
      return { observation, won, admissible: admissibleCommands(state) }
    }),
  ]
  return ours.flatMap((moment, index) => {
    const theirs = moments[index]
    const fields = (['observation', 'won', 'admissible'] as const).filter(
      (field) => JSON.stringify(moment[field]) !== JSON.stringify(theirs?.[field]),
    )
    return fields.length === 0 ? [] : [`${game.id}, "${commands[index - 1] ?? 'reset'}": ${fields.join(', ')}`]
  })
}

async function* linesOf(
  python: string,
  plays: readonly { file: string; commands: readonly string[] }[],
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const child = spawn(python, [SCRIPT], { stdio: ['pipe', 'pipe', 'pipe'], ...(signal && { signal }) })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-LAST_CHARACTERS)
  })
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  // Handled where it is awaited; a missing Python fails earlier.
  ended.catch(() => undefined)
  // A Python that ends early closes its input; its exit code is more informative.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ plays }))
  let lines = 0
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines++
      yield line
    }
    const code = await ended
    if (code !== 0) throw new Error(`${python} ended with code ${code}: ${complaint.trim().split('\n').at(-1)}`)
    if (lines !== plays.length + 1) throw new Error(`${python} reported ${lines - 1} games instead of ${plays.length}.`)
  } finally {
    // Ends it if its lines are no longer read; otherwise it has already ended.
    child.kill()
  }
}
