/** Plays the policy: acts in the environment, and learns from what its actions led to. */
import { MODEL_RESULTS_GIVEN, ModelService } from '../src/engines/transformer/transformer-model.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new ModelService(), { gives: MODEL_RESULTS_GIVEN })

export type PolicyWorker = ModelService
