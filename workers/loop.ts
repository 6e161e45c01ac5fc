/** Runs the loop over bridges to the workers of models and world, which it starts itself. */
import { webGpuObstacle } from '../src/engines/backends/choice.ts'
import { loopPorts } from '../src/sessions/loop-ports.ts'
import { samplersFor } from '../src/sessions/samplers.ts'
import { openPlayers, type PlayersHost } from '../src/sessions/open-players.ts'
import { settingsIn, sourcesIn } from '../src/sessions/own-world.ts'
import { sourcesOf } from '../src/roles/source.ts'
import type { World } from '../src/method/settings.ts'
import { loadFixedTrajectories, trajectoryFile } from '../src/sessions/fixed-trajectories.ts'
import { connectWorker, exposeService } from '../src/threads/worker-bridge.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import { runLocks } from '../src/runs/run-locks.ts'
import { LoopService } from '../src/sessions/loop-service.ts'
import type { ModelWorker } from './model.ts'
import type { WebLlmRoleWorker } from './webllm-role.ts'
import { openWorld } from './worlds/index.ts'

const host: PlayersHost = {
  // Models are beside the page. This worker is one folder below it, in the sources and in the build.
  shippedModel: (name) => new URL(`../models/${name}`, self.location.href).href,
  // The literal `new Worker(new URL(…))` is what the bundler looks for.
  startModel: (role) =>
    connectWorker<ModelWorker>(
      new Worker(new URL('./model.ts', import.meta.url), { type: 'module', name: role }),
      role,
    ),
  samplers: samplersFor(navigator.hardwareConcurrency),
  startWebLlm: (role) =>
    connectWorker<WebLlmRoleWorker>(
      new Worker(new URL('./webllm-role.ts', import.meta.url), { type: 'module', name: role }),
      role,
    ),
  findWebGpuObstacle: () => webGpuObstacle((navigator as Partial<Navigator>).gpu),
  now: () => performance.now(),
}

/** A second one, because measured speeds are remembered for each. */
const sparingHost: PlayersHost = { ...host, samplers: 1 }

/** Beside the page, like the models. */
async function readShipped(world: World): Promise<string> {
  const response = await fetch(new URL(`../${trajectoryFile(world)}`, self.location.href))
  if (!response.ok) throw new Error(`${response.url} could not be loaded (${response.status}).`)
  return response.text()
}

const service = new LoopService({
  openStore: () => IndexedDbRunStore.open(),
  locks: runLocks(),
  async open(request, { isResumed, isSparing, onBytes, onNotice, onBackend }) {
    const { models, keys = {}, backend = 'auto', worldFile } = request
    // Before the models, because it reports quickly what it lacks.
    const world = await openWorld({ settings: request.settings, isResumed, worldFile }, onNotice)
    try {
      const settings = settingsIn(world, request.settings, onNotice)
      const sources = sourcesIn(world, settings, sourcesOf(models))
      const players = await openPlayers({ settings, sources, keys, backend }, world, isSparing ? sparingHost : host, {
        onBackend,
        onNotice,
        onBytes,
      })
      const fixedTrajectories = await loadFixedTrajectories(
        settings,
        world,
        () => readShipped(settings.world),
        onNotice,
      )
      return {
        ports: loopPorts(players, world),
        backend: players.backend,
        models: players.names,
        fixedTrajectories,
        settings,
        ...(world.worldFile && { worldFile: world.worldFile }),
        interrupt: () => world.close(),
        close() {
          players.close()
          world.close()
        },
      }
    } catch (error) {
      world.close()
      throw error
    }
  },
})

exposeService(service)

export type LoopWorker = LoopService
