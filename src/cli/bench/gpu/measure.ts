/** The child of run.ts: measures the adapter and sends its records to the parent, which ends it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GPU_SIZES, measureGpu, TINY_GPU_SIZES } from '../../../bench/gpu/gpu-suite.ts'
import { folderReader } from '../../../language-model/files/folder-reader.ts'
import { shippedModel } from '../../../roles/shipped-models.ts'
import { errorText } from '../../../threads/error-text.ts'
import { carried } from './carried.ts'

const MODELS = carried('models')

export async function measure(totalMs: number, isTiny: boolean): Promise<void> {
  try {
    await measureGpu({
      totalMs,
      sizes: isTiny ? TINY_GPU_SIZES : GPU_SIZES,
      readShipped: (role) => folderReader(join(MODELS, shippedModel('household', role))),
      tokenizerJson: readFileSync(join(MODELS, shippedModel('household', 'policy'), 'tokenizer.json')),
      clock: () => performance.now(),
      report: (record) => void process.send!(record),
    })
  } catch (error) {
    process.send!({ kind: 'error', message: errorText(error) })
  }
}
