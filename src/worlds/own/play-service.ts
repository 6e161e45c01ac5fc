/** The worker that plays episodes of a world for the page (workers/own-play.ts): again as they were logged, and by hand. */
import type { Split } from '../../method/ports.ts'
import { loadEngine } from '../sandbox/engine-binary.ts'
import { OwnGuest, type Data } from './guest.ts'
import { distanceOf } from './insight.ts'
import type { OwnModule } from './module.ts'

/** A task of a log; without its body one that is drawn again from its id (tasks.ts). */
export interface LoggedTask {
  id: string
  body: Data
}

/** The world before the first command, or after one. Plain data. */
export interface OwnMoment {
  text: string
  /** Null if the world draws none. */
  picture: string | null
  outcome: 'won' | 'lost' | 'open'
  /** Commands to the goal: Infinity if it cannot be reached, null if unknown. */
  distance: number | null
}

const DRAWN_ID = /^(train|id|ood)\/(\d+)$/

export class OwnPlayService {
  #guest: OwnGuest | null = null

  /** Call first. Throws OwnWorldError. */
  async load(module: OwnModule): Promise<void> {
    this.#guest = await OwnGuest.open(await loadEngine(), module)
  }

  /** moments[k]: after k commands; null if the log does not determine the task. Throws OwnWorldError. */
  async play({ id, body }: LoggedTask, commands: readonly string[]): Promise<OwnMoment[] | null> {
    const guest = this.#guest
    if (guest === null) throw new Error('The world is not loaded: call load first.')
    const task = body ?? drawnAgain(guest, id)
    if (task === null) return null
    let standing = guest.reset(task)
    const moments = [momentOf(guest, standing)]
    for (const command of commands) {
      standing = guest.step(standing.state, command)
      moments.push(momentOf(guest, standing))
    }
    return moments
  }
}

function drawnAgain(guest: OwnGuest, id: string): Data {
  const [, split, seed] = DRAWN_ID.exec(id) ?? []
  return seed === undefined ? null : guest.task(split as Split, Number(seed))
}

function momentOf(guest: OwnGuest, { state, text }: ReturnType<OwnGuest['reset']>): OwnMoment {
  const picture = guest.parts.has('picture') ? guest.picture(state) : null
  return { text, picture, outcome: guest.outcome(state), distance: distanceOf(guest, state) }
}
