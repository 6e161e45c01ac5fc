/** Runs the loop over bridges to the workers of models and world, which it starts itself. */
import { webGpuObstacle } from '../src/engines/backends/choice.ts'
import { judgeRestartNotice } from '../src/threads/errors.ts'
import { openPlayers, type PlayersHost } from '../src/sessions/open-players.ts'
import { openWorld, type OpenedWorld, type WorldRequest } from '../src/worlds/open-world.ts'
import { sourcesOf } from '../src/roles/source.ts'
import type { Role } from '../src/method/ports.ts'
import { connectWorker, exposeService } from '../src/threads/worker-bridge.ts'
import { IndexedDbProblemLibrary } from '../src/worlds/coding/library/indexeddb-library.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import { LoopService } from '../src/sessions/loop-service.ts'
import { openingError } from '../src/sessions/opening-failure.ts'
import type { EnvironmentWorker } from './environment.ts'
import type { JudgeWorker } from './judge.ts'
import type { PolicyWorker } from './policy.ts'
import type { WebLlmRoleWorker } from './webllm-role.ts'

// The literal `new Worker(new URL(…))` of each is what the bundler looks for.
const START: Record<Role, () => Worker> = {
  policy: () => new Worker(new URL('./policy.ts', import.meta.url), { type: 'module', name: 'policy' }),
  reward: () => new Worker(new URL('./reward.ts', import.meta.url), { type: 'module', name: 'reward' }),
  author: () => new Worker(new URL('./author.ts', import.meta.url), { type: 'module', name: 'author' }),
}

const host: PlayersHost = {
  // Models lie beside the page; this worker lies one folder below it, in the sources and in the build.
  shippedModel: (name) => new URL(`../models/${name}`, self.location.href).href,
  startModel: (role) => connectWorker<PolicyWorker>(START[role](), role),
  startWebLlm: (role) =>
    connectWorker<WebLlmRoleWorker>(
      new Worker(new URL('./webllm-role.ts', import.meta.url), { type: 'module', name: role }),
      role,
    ),
  findWebGpuObstacle: () => webGpuObstacle((navigator as Partial<Navigator>).gpu),
  now: () => performance.now(),
}

const service = new LoopService({
  openStore: () => IndexedDbRunStore.open(),
  async open({ settings, models, keys = {}, backend = 'auto' }, { isResumed, onBytes, onNotice, onBackend }) {
    const sources = sourcesOf(models)
    // First, because it is quick to say what it lacks.
    const { close: closeWorld, formatsFor, ...world } = await openHere({ settings, isResumed }, onNotice)
    try {
      const players = await openPlayers({ settings, sources, keys, backend }, formatsFor, host, {
        onBackend,
        onNotice,
        onBytes,
      })
      const { policy, reward, author, formats } = players
      return {
        ports: { policy, reward, author, formats, ...world, now: () => performance.now() },
        backend: players.backend,
        models: players.names,
        interrupt: closeWorld,
        close() {
          players.close()
          closeWorld()
        },
      }
    } catch (error) {
      closeWorld()
      throw error
    }
  },
})

/** Throws OpeningError. */
async function openHere(request: WorldRequest, onNotice: (text: string) => void): Promise<OpenedWorld> {
  try {
    return await openWorld(request, {
      openHousehold,
      listProblems: () => new IndexedDbProblemLibrary().problems(),
      startJudge: () =>
        connectWorker<JudgeWorker>(
          new Worker(new URL('./judge.ts', import.meta.url), { type: 'module', name: 'judge' }),
          'judge',
        ),
      onJudgeLoss: (loss) => onNotice(judgeRestartNotice(loss)),
    })
  } catch (cause) {
    throw openingError(request, cause)
  }
}

async function openHousehold(request: WorldRequest) {
  const { remote, terminate } = connectWorker<EnvironmentWorker>(
    new Worker(new URL('./environment.ts', import.meta.url), { type: 'module', name: 'environment' }),
    'environment',
  )
  try {
    await remote.open(request)
    return { environment: remote, close: terminate }
  } catch (error) {
    terminate()
    throw error
  }
}

exposeService(service)

export type LoopWorker = LoopService
