/** Description of the machine, to judge its numbers by. */
import type { BackendName } from '../language-model/backends/backend.ts'

export interface MachineBackend {
  name: BackendName
  isMeasured: boolean
  /** What it runs on, or why it is not measured. */
  about: string
}

export interface Machine {
  userAgent: string
  /** Threads that can run at once, according to the browser. */
  cores: number
  backends: MachineBackend[]
}
