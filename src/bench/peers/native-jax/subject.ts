/** What the subjects share: the process, and what they report of it. */
import type { OwnProcess } from '../../subjects.ts'
import type { JaxProcess } from './process.ts'

export abstract class NativeJaxSubject implements OwnProcess {
  readonly name: string
  readonly note: string
  protected readonly process: JaxProcess

  constructor(process: JaxProcess) {
    this.process = process
    this.name = process.name
    this.note = process.note
  }

  processorMs(): number {
    return this.process.processorMs
  }

  peakBytes(): number | null {
    return this.process.peakBytes
  }

  dispose(): void {
    this.process.dispose()
  }
}
