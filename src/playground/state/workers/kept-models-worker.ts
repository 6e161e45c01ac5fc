/** Opens a worker that makes model folders of a kept run's checkpoint. End it afterwards: models fill its memory. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { KeptModelsWorker } from '../../../../workers/kept-models.ts'

export type OpenKeptModels = () => Bridge<KeptModelsWorker>

export const openKeptModelsWorker: OpenKeptModels = () =>
  connectWorker<KeptModelsWorker>(
    new Worker(new URL('../../../../workers/kept-models.ts', import.meta.url), { type: 'module', name: 'kept-models' }),
    'kept-models',
  )
