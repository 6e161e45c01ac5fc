/** Measures steps through the household server's pipe, as an agent in another language takes them. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { generatedPlays, type Play } from '../../bench/environment-plays.ts'
import { median } from '../../bench/repetitions.ts'
import type { SuiteContext } from '../../bench/suite.ts'

const SERVER = fileURLToPath(new URL('../household.ts', import.meta.url))
const GAMES = 256
const REPETITIONS = 5
/** Plays of all games in a repetition; the first ones warm up the server. */
const ROUNDS = 5

/** One request in flight is an agent that waits for each answer; many are a batch of agents, one episode each. */
export async function measurePipe(context: SuiteContext): Promise<void> {
  const plays = generatedPlays(GAMES)
  for (const inFlight of [1, GAMES]) {
    const rates: number[] = []
    context.progress(`Measuring steps through the pipe, ${inFlight} in flight`)
    const server = new PipedServer()
    try {
      for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
        context.signal?.throwIfAborted()
        const rate = await stepsPerSecond(server, plays, inFlight)
        if (repetition > 0) rates.push(rate)
      }
    } finally {
      await server.close()
    }
    context.report({
      suite: 'environment',
      name: 'steps with the admissible list through the pipe of npm run household -- --serve',
      subject: 'household engine',
      value: median(rates.sort((a, b) => a - b)),
      unit: 'steps/s',
      sizes: { games: 'generated, full', count: GAMES, 'in flight': inFlight },
      note: `median of ${REPETITIONS}, wall time; two processes, resets not timed, answers not parsed`,
    })
  }
}

async function stepsPerSecond(server: PipedServer, plays: readonly Play[], inFlight: number): Promise<number> {
  const longest = Math.max(...plays.map(({ commands }) => commands.length))
  let steps = 0
  let elapsed = 0
  for (let turn = 0; turn < ROUNDS * longest; turn++) {
    if (turn % longest === 0) await server.ask(plays.map(({ game }, index) => resetRequest(index, game.origin!.seed)))
    const at = turn % longest
    const requests = plays.flatMap(({ commands }, episode) =>
      at < commands.length
        ? [{ method: 'step', episode: String(episode), command: commands[at], admissible: true }]
        : [],
    )
    steps += requests.length
    const start = performance.now()
    for (let first = 0; first < requests.length; first += inFlight) {
      await server.ask(requests.slice(first, first + inFlight))
    }
    elapsed += performance.now() - start
  }
  return (steps / elapsed) * 1000
}

function resetRequest(index: number, seed: number) {
  return { method: 'reset', episode: String(index), seed }
}

/** Counts answers and checks them as text without parsing, to measure only the server and the pipe. */
class PipedServer {
  readonly #child = spawn(process.execPath, [...process.execArgv, SERVER, '--serve'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  /** The requests in flight. */
  #asked = { left: 0, resolve: () => {}, reject: (_: Error) => {} }
  readonly #closed = new Promise<void>((resolve) => this.#child.on('close', resolve))

  constructor() {
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#child.on('error', (error) => this.#asked.reject(error))
    this.#child.on('close', () => this.#asked.reject(new Error('The household server ended.')))
  }

  /** Sends all requests in one write and waits for their answers. Throws if one is an error or the server ends. */
  ask(requests: readonly object[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#asked = { left: requests.length, resolve, reject }
      this.#child.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''))
    })
  }

  async close(): Promise<void> {
    this.#child.stdin.end()
    await this.#closed
  }

  #take(chunk: Buffer): void {
    if (chunk.includes('"error":'))
      this.#asked.reject(new Error(`The server answered ${chunk.toString().slice(0, 500)}`))
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) this.#asked.left--
    if (this.#asked.left <= 0) this.#asked.resolve()
  }
}
