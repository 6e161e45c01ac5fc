/** The worker that reads and checks a world's file for the page (workers/own-check.ts). It ends with the check. */
import { loadEngine } from '../sandbox/engine-binary.ts'
import { checkWorld, type CheckLine } from './check.ts'
import { factsOf, OwnGuest, type WorldFacts } from './guest.ts'
import { readModule, type OwnModule } from './module.ts'

export class OwnCheckService {
  #guest: OwnGuest | null = null

  /** Call first. Throws OwnWorldError if the file is no world. */
  async read(source: string, file: string): Promise<{ module: OwnModule; facts: WorldFacts }> {
    const module = readModule(source, file)
    this.#guest = await OwnGuest.open(await loadEngine(), module)
    return { module, facts: factsOf(this.#guest) }
  }

  /** Plays the world, and reports each check as it ends. Settles when every report has arrived: the worker ends then. */
  async check(onLine: (line: CheckLine) => void | Promise<void>): Promise<void> {
    if (this.#guest === null) throw new Error('The world is not read: call read first.')
    for await (const line of checkWorld(this.#guest)) await onLine(line)
  }
}
