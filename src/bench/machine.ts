/** What a machine says of itself to who is to judge the numbers from it. */
import type { BackendName } from '../language-model/backends/backend.ts'

export interface MachineBackend {
  name: BackendName
  isMeasured: boolean
  /** What computes, or why it is not measured. */
  about: string
}

export interface Machine {
  userAgent: string
  /** As many threads as the browser says can run at once. */
  cores: number
  backends: MachineBackend[]
}
