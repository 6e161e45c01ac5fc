/**
 * Chooses which checkpoints of a run to keep. Each is a place to resume or branch from, and as large as the models and their
 * optimisers. Keeps the latest two always, because writing the last may be interrupted, and as many others as fit, spread
 * evenly over the run.
 */
export interface KeptCheckpoint {
  iteration: number
  /** Events in the log at that time. */
  eventCount: number
  bytes: number
}

export function keptCheckpoint({
  iteration,
  eventCount,
  policy,
  reward,
}: Omit<KeptCheckpoint, 'bytes'> & { policy: Uint8Array; reward: Uint8Array }): KeptCheckpoint {
  return { iteration, eventCount, bytes: policy.byteLength + reward.byteLength }
}

/** Bytes for the checkpoints of one run. */
const ROOM = 128 * 2 ** 20
const LATEST = 2

/** Checkpoints to delete; `all` must be in the order of iterations. */
export function outdatedCheckpoints(all: readonly KeptCheckpoint[], room = ROOM): KeptCheckpoint[] {
  const kept = [...all]
  const outdated: KeptCheckpoint[] = []
  const size = () => kept.reduce((total, { bytes }) => total + bytes, 0)
  while (kept.length > LATEST && size() > room) {
    // Removing the one whose neighbours are closest leaves the smallest gap; iteration 0 needs no checkpoint.
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

/** The checkpoint nearest to an iteration, the earlier of two; null without any. */
export function nearestCheckpoint(all: readonly KeptCheckpoint[], iteration: number): KeptCheckpoint | null {
  let nearest: KeptCheckpoint | null = null
  for (const each of all) {
    const isNearer = nearest === null || Math.abs(each.iteration - iteration) < Math.abs(nearest.iteration - iteration)
    if (isNearer) nearest = each
  }
  return nearest
}
