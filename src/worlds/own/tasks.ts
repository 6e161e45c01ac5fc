/** The tasks that a world draws. */
import type { Split, Task } from '../../method/ports.ts'
import { hashOf } from '../random.ts'
import type { Data, OwnGuest } from './guest.ts'

const LONGEST_INSTRUCTION = 300
/** Changes that an author reads, for each direction. */
const LISTED_REWRITES = 8

export function sampleTasks(guest: OwnGuest, split: Split, count: number, seed: number): Task[] {
  return Array.from({ length: count }, (_, index) => {
    const taskSeed = hashOf('task', seed, index)
    return portTask(guest, guest.task(split, taskSeed), `${split}/${taskSeed}`)
  })
}

export function portTask(guest: OwnGuest, body: Data, id: string, rootId = id): Task {
  const { parts } = guest
  const text = parts.has('instruction') ? guest.instruction(body) : guest.reset(body).text
  const line = text.replace(/\s+/g, ' ').trim()
  const instruction = line.length <= LONGEST_INSTRUCTION ? line : `${line.slice(0, LONGEST_INSTRUCTION - 1)}…`
  return { id, rootId, instruction, kind: parts.has('kind') ? guest.kind(body) : 'task', body }
}

/**
 * What the author reads:
 *
 *     Key at 1 2. Chest at 3 3. Wall at 2 2. You are at 4 1.
 *     Harder: wall at 1 2; wall at 3 2
 *     Easier: no wall at 2 2
 */
export function describeTask(guest: OwnGuest, body: Data): string {
  const { parts } = guest
  const text = parts.has('describe') ? guest.describe(body) : guest.reset(body).text
  if (!parts.has('rewrites')) return text
  const listed = (direction: 'harder' | 'easier') =>
    guest.rewrites(body, direction).slice(0, LISTED_REWRITES).join('; ') || 'nothing'
  return `${text}\nHarder: ${listed('harder')}\nEasier: ${listed('easier')}`
}
