/** Plays in the world of a log, whose file it contains, in a worker that is ended if it does not answer. */
import type { WorldFile } from '../../../method/events.ts'
import { deadlined } from '../../../threads/deadline.ts'
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import { OwnWorldError } from '../../../worlds/own/error.ts'
import type { LoggedTask, OwnMoment } from '../../../worlds/own/play-service.ts'
import type { OwnPlayWorker } from '../../../../workers/own-play.ts'

/** A picture is not worth a longer wait. */
const LONGEST_WAIT_MS = 20_000

const openPlayWorker = (): Bridge<OwnPlayWorker> =>
  connectWorker<OwnPlayWorker>(
    new Worker(new URL('../../../../workers/own-play.ts', import.meta.url), { type: 'module', name: 'own-play' }),
    'own-play',
  )

export class OwnPlayer {
  #opened: { hash: string; bridge: Bridge<OwnPlayWorker>; loaded: Promise<void> } | null = null

  /** moments[k]: after k commands; null if the log does not determine the task. Throws OwnWorldError. */
  async play(world: WorldFile, { id, body }: LoggedTask, commands: readonly string[]): Promise<OwnMoment[] | null> {
    const { bridge, loaded } = this.#in(world)
    try {
      await loaded
      return await bridge.remote.play({ id, body }, [...commands])
    } catch (cause) {
      // The next call begins with a new worker.
      if (this.#opened?.bridge === bridge) this.close()
      throw cause
    }
  }

  close(): void {
    this.#opened?.bridge.terminate()
    this.#opened = null
  }

  #in({ file, script, hash }: WorldFile) {
    if (this.#opened?.hash === hash) return this.#opened
    this.close()
    const bridge = deadlined(
      openPlayWorker(),
      LONGEST_WAIT_MS,
      () => new OwnWorldError(`${file} did not answer within ${LONGEST_WAIT_MS / 1000} seconds and was stopped.`),
    )
    return (this.#opened = { hash, bridge, loaded: bridge.remote.load({ file, script, hash }) })
  }
}
