/** Makes model folders of a kept run's checkpoint. The page ends it after each task, because models fill its memory. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import { KeptModels } from '../src/sessions/kept-models.ts'

exposeService(
  new KeptModels({
    openStore: () => IndexedDbRunStore.open(),
    // Models are beside the page. This worker is one folder below it, in the sources and in the build.
    shippedModel: (name) => new URL(`../models/${name}`, self.location.href).href,
  }),
)

export type KeptModelsWorker = KeptModels
