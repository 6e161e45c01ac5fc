/** Plays the reward model: judges every step, and learns from how consistent its judgements were. */
import { MODEL_RESULTS_GIVEN, ModelService } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new ModelService(), { gives: MODEL_RESULTS_GIVEN })

export type RewardWorker = ModelService
