/** The suite with the shipped models of a folder or an address, for a process of its own or a worker of a page. */
import type { ModelReader } from '../../language-model/files/model-reader.ts'
import type { Role } from '../../method/ports.ts'
import { GPU_SIZES, measureGpu, TINY_GPU_SIZES } from './gpu-suite.ts'
import type { GpuRecord } from './records.ts'

export class GpuService {
  readonly #readShipped: (role: Role) => ModelReader

  constructor(readShipped: (role: Role) => ModelReader) {
    this.#readShipped = readShipped
  }

  /** Resolves when the last report has arrived. Throws BackendUnavailableError if there is no adapter. */
  async measure(totalMs: number, isTiny: boolean, report: (record: GpuRecord) => void): Promise<void> {
    const reports: unknown[] = []
    await measureGpu({
      totalMs,
      sizes: isTiny ? TINY_GPU_SIZES : GPU_SIZES,
      readShipped: this.#readShipped,
      tokenizerJson: await this.#readShipped('policy').read('tokenizer.json'),
      clock: () => performance.now(),
      report: (record) => void reports.push(report(record)),
    })
    await Promise.all(reports)
  }
}
