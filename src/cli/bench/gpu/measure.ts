/** The child of run.ts: measures the adapter and sends its records to the parent, which ends it. */
import { join } from 'node:path'
import { SOFTWARE_DAWN_OPTION } from '../../../../scripts/launch-flags.mjs'
import { GpuService } from '../../../bench/gpu/gpu-service.ts'
import { provideGpuInNode } from '../../../language-model/backends/node-gpu.ts'
import { folderReader } from '../../../language-model/files/folder-reader.ts'
import { shippedModel } from '../../../roles/shipped-models.ts'
import { errorText } from '../../../threads/error-text.ts'
import { carried } from './carried.ts'

const MODELS = carried('models')

export async function measure(totalMs: number, isTiny: boolean): Promise<void> {
  const service = new GpuService((role) => folderReader(join(MODELS, shippedModel('household', role))))
  // The smallest sizes are for a software adapter.
  if (isTiny) await provideGpuInNode([SOFTWARE_DAWN_OPTION])
  try {
    await service.measure(totalMs, isTiny, (record) => void process.send!(record))
  } catch (error) {
    process.send!({ kind: 'error', message: errorText(error) })
  }
}
