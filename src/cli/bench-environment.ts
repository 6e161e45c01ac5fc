/** The environment suite in Node: where official games and the Python package are found. */
import { environmentSuite } from '../bench/environment.ts'
import type { Suite } from '../bench/suite.ts'
import { alfworldPeer } from './bench-alfworld.ts'

const REPETITIONS = 5
const DURATION_MS = 400
const GENERATED_GAMES = 64

export function environmentSuiteInNode(): Suite {
  return environmentSuite({
    clock: () => performance.now(),
    repetitions: REPETITIONS,
    durationMs: DURATION_MS,
    games: GENERATED_GAMES,
    peer: alfworldPeer(process.env['ALFWORLD_PYTHON']),
  })
}
