/** Plays a role with WebLLM: alone, or as the sampler of a checkpoint that is trained in this thread. */
import { WEBLLM_ROLE_RESULTS_GIVEN, WebLlmRole } from '../src/engines/webllm/webllm-role.ts'
import { browserFiles } from '../src/engines/webllm/model-files.ts'
import { importWebLlm } from '../src/engines/webllm/surface.ts'
import { openCaches } from '../src/storage/browser-storage.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'

exposeService(new WebLlmRole({ importModule: importWebLlm, files: browserFiles(() => openCaches('WebLLM models')) }), {
  gives: WEBLLM_ROLE_RESULTS_GIVEN,
})

export type WebLlmRoleWorker = WebLlmRole
