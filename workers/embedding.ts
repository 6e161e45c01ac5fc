/** Says how far tasks are from one another in meaning, for the page's view of tasks. */
import { SHIPPED_MODELS } from '../src/engines/role-models.ts'
import { TaskEmbeddingService } from '../src/engines/task-embedding.ts'
import { exposeService } from '../src/engines/worker-bridge.ts'
import { urlReader } from '../src/language-model/model-folder.ts'

// Models lie beside the page; this worker lies one folder below it, in the sources and in the build.
exposeService(
  new TaskEmbeddingService((world) =>
    urlReader(new URL(`../models/${SHIPPED_MODELS[world].policy}`, self.location.href).href),
  ),
)

export type EmbeddingWorker = TaskEmbeddingService
