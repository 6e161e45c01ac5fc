import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OfficialPlay } from '../../../src/bench/environment.ts'
import { recordPlay } from '../../../src/bench/environment-plays.ts'
import { alfworldPeer } from '../../../src/cli/bench/alfworld.ts'
import { admissibleCommands } from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { openingText } from '../../../src/worlds/household/engine/observations.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'

const context = { report: () => {}, progress: () => {} }
const plays = [1, 2].map((seed): OfficialPlay => {
  const play = recordPlay(generateGame({ seed, split: 'train', sceneSize: 'compact' }))
  return { ...play, bytes: async () => Buffer.from(`file of seed ${seed}`) }
})

/** What the package reports of a play if it agrees with our engine. */
function momentsOf({ game, commands }: OfficialPlay) {
  const state = startGame(game)
  const moments = [{ observation: openingText(state), won: false, admissible: admissibleCommands(state) }]
  for (const command of commands) {
    const { observation, won } = step(state, command)
    moments.push({ observation, won, admissible: admissibleCommands(state) })
  }
  return moments
}

describe('the Python package as a peer', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bench-alfworld-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A command that answers like a Python with the package; it fails for other plays or files. */
  function packageTelling(told: ReturnType<typeof momentsOf>[]): string {
    const file = join(folder, `python-${readdirSync(folder).length}`)
    const versions = { alfworld: '9.8', textworld: '7.6', python: '5.4' }
    const lines = [versions, ...told.map((moments) => ({ moments, resetSeconds: 0.5, stepSeconds: 2 }))]
    const expected = plays.map(({ commands }, index) => ({ commands, text: `file of seed ${index + 1}` }))
    writeFileSync(
      file,
      `#!${process.execPath}
      const { readFileSync } = require('node:fs')
      const { plays } = JSON.parse(readFileSync(0, 'utf8'))
      const given = plays.map(({ file, commands }) => ({ commands, text: readFileSync(file, 'utf8') }))
      if (JSON.stringify(given) !== ${JSON.stringify(JSON.stringify(expected))}) throw new Error('other plays')
      for (const line of ${JSON.stringify(lines)}) console.log(JSON.stringify(line))`,
    )
    chmodSync(file, 0o755)
    return file
  }

  it('is measured by its own times, after everything that it shows equals ours', async () => {
    const steps = plays[0]!.commands.length + plays[1]!.commands.length
    expect(await alfworldPeer(packageTelling(plays.map(momentsOf)))(plays, context)).toEqual({
      subject: 'alfworld 9.8, TextWorld 7.6, Python 5.4',
      stepsPerSecond: steps / 4,
      resetsPerSecond: 2,
      note: `CPU time of one play; ${steps + 2} observations and lists compared, all equal`,
    })
  })

  it('reports a different word with its command', async () => {
    const told = plays.map(momentsOf)
    told[1]![3]!.observation += ' Or does it?'
    told[1]![2]!.admissible.pop()
    const speed = await alfworldPeer(packageTelling(told))(plays, context)
    const { game, commands } = plays[1]!
    expect(speed).toMatchObject({
      note: expect.stringContaining(`2 DIFFER, first ${game.id}, "${commands[1]}": admissible`) as string,
    })
  })

  it('reports why it is not measured if it is missing, fails, or reports fewer games', async () => {
    const failures = [undefined, join(folder, 'nowhere'), process.execPath, packageTelling([momentsOf(plays[0]!)])]
    const reasons = await Promise.all(failures.map((python) => alfworldPeer(python)(plays, context)))
    expect(reasons).toEqual(
      ['ALFWORLD_PYTHON', 'ENOENT', 'ended with code 1', 'reported 1 games instead of 2'].map((reason) => ({
        notMeasured: expect.stringContaining(reason) as string,
      })),
    )
  })
})
