/**
 * Compares the engine with ALFWorld itself. ALFWORLD_PYTHON is the path of a Python that has the package, for example
 *
 *     python3 -m venv venv && venv/bin/pip install --no-deps alfworld==0.4.2 && venv/bin/pip install 'textworld[pddl]==1.6.2'
 *     ALFWORLD_PYTHON=$PWD/venv/bin/python npx vitest run --project unit test/worlds/household/alfworld-reference.test.ts
 *
 * ALFWorld plays some 25 steps per second, so this takes minutes. official-data.ts says where it looks for games.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { gameFiles, importedGame, isLeftOut, noGameFiles, print, spread } from './official-data.ts'
import { firstDifference, randomPlays, summaryOf, type Observed, type PlayedStep } from './random-play.ts'

const GAMES = 53
const HOUR_MS = 3_600_000
const python = process.env.ALFWORLD_PYTHON
const reason = python ? noGameFiles : 'ALFWORLD_PYTHON names no Python that has the package'

interface RequestedPlay {
  id: string
  path: string
  played: readonly PlayedStep[]
}

/** Lets ALFWorld play the same commands. Yields its observations, play by play. */
async function* playedByAlfworld(plays: readonly RequestedPlay[]): AsyncGenerator<Observed[]> {
  const child = spawn(python!, [join(import.meta.dirname, 'alfworld-reference.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  const requests = plays.map(({ path, played }) => {
    return JSON.stringify({ game: path, commands: played.slice(1).map(({ command }) => command) })
  })
  child.stdin.end(requests.join('\n'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  for (const { played } of plays) {
    const seen: Observed[] = []
    while (seen.length < played.length) {
      const line = await lines.next()
      if (line.done) throw new Error(`ALFWorld stopped early, with exit code ${await closed}; see its own messages.`)
      seen.push(JSON.parse(line.value) as Observed)
    }
    yield seen
  }
  expect(await closed).toBe(0)
}

describe.skipIf(isLeftOut('plays against ALFWorld itself', reason))('ALFWorld itself', () => {
  it(
    'agrees on every step of random plays',
    async () => {
      const plays = spread(gameFiles, GAMES).flatMap((file): RequestedPlay[] =>
        randomPlays(importedGame(file).game, 'v2').map((played) => ({ ...file, played })),
      )
      const differences: string[] = []
      let index = 0
      for await (const seen of playedByAlfworld(plays)) {
        const { id, played } = plays[index++]!
        const difference = firstDifference(played, seen)
        if (difference !== null) differences.push(`${id}, play ${index}, ${difference}`)
      }
      print(`${summaryOf(plays.map(({ played }) => played))}; ${differences.length} differ from ALFWorld.`)
      expect(differences.slice(0, 5)).toEqual([])
      expect(index).toBe(plays.length)
    },
    HOUR_MS,
  )
})
