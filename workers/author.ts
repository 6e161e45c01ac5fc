/** Plays the author: rewrites tasks that are too easy or too hard. */
import { TRANSFORMER_RESULTS_GIVEN, TransformerModel } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new TransformerModel(), { gives: TRANSFORMER_RESULTS_GIVEN })

export type AuthorWorker = TransformerModel
