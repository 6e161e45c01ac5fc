/** Plays the policy: acts in the environment and learns from the results. */
import { TRANSFORMER_RESULTS_GIVEN, TransformerModel } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new TransformerModel(), { gives: TRANSFORMER_RESULTS_GIVEN })

export type PolicyWorker = TransformerModel
