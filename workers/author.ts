/** Plays the author: rewrites tasks that have become too easy or too hard. */
import { MODEL_RESULTS_GIVEN, ModelService } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new ModelService(), { gives: MODEL_RESULTS_GIVEN })

export type AuthorWorker = ModelService
