/** Plays a role that learns here, in our own transformer, and samples with WebLLM. */
import { openCheckpoint, type CheckpointPlace } from '../src/engines/role-checkpoint.ts'
import { browserFiles } from '../src/engines/webllm/model-files.ts'
import { SAMPLED_TRAINER_RESULTS_GIVEN, SampledTrainer } from '../src/engines/webllm/sampled-trainer.ts'
import { importWebLlm } from '../src/engines/webllm/surface.ts'
import { WebLlmModel } from '../src/engines/webllm/webllm-model.ts'
import { exposeService } from '../src/engines/worker-bridge.ts'

const sampler = new WebLlmModel({ importModule: importWebLlm, files: browserFiles(caches) })

exposeService(new SampledTrainer<CheckpointPlace>({ sampler, openTrainer: openCheckpoint }), {
  gives: SAMPLED_TRAINER_RESULTS_GIVEN,
})

export type SampledWorker = SampledTrainer<CheckpointPlace>
