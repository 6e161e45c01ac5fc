/** Plays the reward model: judges every step and learns from the consistency of its judgements. */
import { TRANSFORMER_RESULTS_GIVEN, TransformerModel } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new TransformerModel(), { gives: TRANSFORMER_RESULTS_GIVEN })

export type RewardWorker = TransformerModel
