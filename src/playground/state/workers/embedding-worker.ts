/** Opens the worker that says how far tasks are from one another in meaning; it loads a model when the first pool comes. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { EmbeddingWorker } from '../../../../workers/embedding.ts'

export type OpenEmbedding = () => Bridge<EmbeddingWorker>

export const openEmbeddingWorker: OpenEmbedding = () =>
  connectWorker<EmbeddingWorker>(
    new Worker(new URL('../../../../workers/embedding.ts', import.meta.url), { type: 'module', name: 'embedding' }),
    'embedding',
  )
