/** Opens a field of subjects on one device for one model, and words their results. */
import type { BenchModel } from './bench-model.ts'
import type { Timed } from './side-by-side.ts'
import { type Field, type Open, PeerUnavailableError } from './subjects.ts'
import type { SuiteContext } from './suite.ts'
import { errorText } from '../threads/error-text.ts'

interface Disposable {
  dispose(): void
}

export interface OpenField<Own, Peer> {
  own: Own
  /** Peers that can run here. */
  peers: Peer[]
  dispose(): void
}

/** Opens our engine and every peer that can run here, and reports why others cannot. */
export async function openField<Peer extends Disposable, Own extends Peer>(
  field: Field<Peer, Own>,
  model: BenchModel,
  context: SuiteContext,
): Promise<OpenField<Own, Peer>> {
  const own = await field.own(model)
  const peers = await openPeers(field.peers, model, context)
  return { own, peers, dispose: () => [own, ...peers].forEach((subject) => subject.dispose()) }
}

/** Those that can run here; reports why others cannot. */
export async function openPeers<Peer>(
  opens: readonly Open<Peer>[],
  model: BenchModel,
  context: SuiteContext,
): Promise<Peer[]> {
  const peers: Peer[] = []
  for (const open of opens) {
    context.signal?.throwIfAborted()
    try {
      peers.push(await open(model))
    } catch (error) {
      if (!(error instanceof PeerUnavailableError)) throw error
      context.progress(`Skipped a peer: ${error.message}`)
    }
  }
  return peers
}

/** What a peer computes; null if it fails, for example because its memory does not suffice, which is reported. */
export async function unlessFailed<T>(
  peer: { name: string },
  context: SuiteContext,
  compute: () => Promise<T>,
): Promise<T | null> {
  try {
    return await compute()
  } catch (error) {
    context.signal?.throwIfAborted()
    context.progress(`Not timed: ${peer.name} failed: ${errorText(error)}`)
    return null
  }
}

type Duration = Pick<Timed, 'medianMs' | 'processorMs'>

/** Target speed relative to a peer, by the peer's name. */
export type RatioTargets = Readonly<Record<string, number>>

/** "ours is 9.1 times as fast (8.9 by processor time), over the target of 8". */
export function ratioVerdict(peer: string, theirs: Duration, ours: Duration, targets: RatioTargets): string {
  const ratio = theirs.medianMs / ours.medianMs
  const busy =
    theirs.processorMs === undefined || ours.processorMs === undefined
      ? ''
      : ` (${(theirs.processorMs / ours.processorMs).toFixed(1)} by processor time)`
  const says = `ours is ${ratio.toFixed(1)} times as fast${busy}`
  const target = Object.entries(targets).find(([name]) => peer === name)?.[1]
  return target === undefined ? says : `${says}, ${targetVerdict(ratio, target)}`
}

/** "over the target of 8". */
export function targetVerdict(value: number, target: number): string {
  return `${value >= target ? 'over' : 'under'} the target of ${target}`
}
