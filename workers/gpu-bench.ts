/** Measures a graphics adapter in the page of `npm run bench -- --gpu --browser`. */
import { GpuService } from '../src/bench/gpu/gpu-service.ts'
import { urlReader } from '../src/language-model/files/model-folder.ts'
import { shippedModel } from '../src/roles/shipped-models.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

const service = new GpuService((role) =>
  urlReader(new URL(`/models/${shippedModel('household', role)}`, self.location.href).href),
)

exposeService(service)

export type GpuBenchWorker = GpuService
