/** Plays a role with our own transformer. */
import { TRANSFORMER_RESULTS_GIVEN, TransformerModel } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new TransformerModel(), { gives: TRANSFORMER_RESULTS_GIVEN })

export type ModelWorker = TransformerModel
