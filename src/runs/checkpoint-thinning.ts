/**
 * Which checkpoints of a run are kept. Each is a place to go on or to branch from, and is as large as the models and their
 * optimisers: the latest two always, because the last may be cut while it is written; of the others as many as there is
 * room for, spread as evenly over the run as they come.
 */
export interface KeptCheckpoint {
  iteration: number
  /** Events that the log held then. */
  eventCount: number
  bytes: number
}

/** Bytes for the checkpoints of one run. */
const ROOM = 128 * 2 ** 20
const LATEST = 2

/** Those to let go of, given all in the order of their iterations. */
export function outdatedCheckpoints(all: readonly KeptCheckpoint[], room = ROOM): KeptCheckpoint[] {
  const kept = [...all]
  const outdated: KeptCheckpoint[] = []
  const size = () => kept.reduce((total, { bytes }) => total + bytes, 0)
  while (kept.length > LATEST && size() > room) {
    // The one whose neighbours are closest to one another leaves the smallest gap; iteration 0 needs no checkpoint.
    let closest = 0
    let smallest = Infinity
    for (let i = 0; i < kept.length - LATEST; i++) {
      const gap = kept[i + 1]!.iteration - (kept[i - 1]?.iteration ?? 0)
      if (gap < smallest) [closest, smallest] = [i, gap]
    }
    outdated.push(...kept.splice(closest, 1))
  }
  return outdated
}

/** The one at an iteration, or else the nearest; null where there is none at all. Of two as near, the earlier. */
export function nearestCheckpoint(all: readonly KeptCheckpoint[], iteration: number): KeptCheckpoint | null {
  let nearest: KeptCheckpoint | null = null
  for (const each of all) {
    const isNearer = nearest === null || Math.abs(each.iteration - iteration) < Math.abs(nearest.iteration - iteration)
    if (isNearer) nearest = each
  }
  return nearest
}
