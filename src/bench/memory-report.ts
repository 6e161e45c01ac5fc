/** Reports the memory of our engine and of the peers that run in processes of their own. */
import type { OwnProcess } from './subjects.ts'
import type { Measurement, SuiteContext } from './suite.ts'

export function reportMemory(
  of: Pick<Measurement, 'suite' | 'name' | 'sizes'>,
  own: { name: string; bytes: number },
  peers: readonly (OwnProcess & { name: string })[],
  { report }: SuiteContext,
): void {
  report({ ...of, subject: own.name, value: own.bytes, unit: 'bytes', note: 'tensors at their height' })
  for (const { name, peakBytes } of peers.map((peer) => ({ name: peer.name, peakBytes: peer.peakBytes?.() ?? null }))) {
    if (peakBytes !== null)
      report({ ...of, subject: name, value: peakBytes, unit: 'bytes', note: 'the whole process at its height' })
  }
}
