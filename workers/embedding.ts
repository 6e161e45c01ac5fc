/** Says how far tasks are from one another in meaning, for the page's view of tasks. */
import { SHIPPED_MODELS } from '../src/roles/shipped-models.ts'
import { TaskEmbeddingService } from '../src/engines/embedding/task-embedding.ts'
import { exposeService } from '../src/threads/worker-bridge.ts'
import { urlReader } from '../src/language-model/files/model-folder.ts'

// Models lie beside the page; this worker lies one folder below it, in the sources and in the build.
exposeService(
  new TaskEmbeddingService((world) =>
    urlReader(new URL(`../models/${SHIPPED_MODELS[world].policy}`, self.location.href).href),
  ),
)

export type EmbeddingWorker = TaskEmbeddingService
