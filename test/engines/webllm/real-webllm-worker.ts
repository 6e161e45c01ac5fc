/** Runs a model with WebLLM. */
import { browserFiles } from '../../../src/engines/webllm/model-files.ts'
import { importWebLlm } from '../../../src/engines/webllm/surface.ts'
import { WEBLLM_RESULTS_GIVEN, WebLlmModel } from '../../../src/engines/webllm/webllm-model.ts'
import { exposeService } from '../../../src/threads/worker-bridge.ts'

exposeService(new WebLlmModel({ importModule: importWebLlm, files: browserFiles(caches) }), {
  gives: WEBLLM_RESULTS_GIVEN,
})

export type WebLlmWorker = WebLlmModel
