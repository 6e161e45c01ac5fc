/** Runs the loop over bridges to the workers of models and world, which it starts itself. */
import { chooseBackend, measureModel, webGpuObstacle } from '../src/engines/backend-choice.ts'
import { judgeRestartNotice, restartNotice } from '../src/engines/errors.ts'
import { openSetting, type OpenedSetting, type SettingRequest } from '../src/engines/open-setting.ts'
import { openRoleModels, ROLES, SHIPPED_MODELS, type Role } from '../src/engines/role-models.ts'
import { connectWorker, exposeService } from '../src/engines/worker-bridge.ts'
import { IndexedDbProblemLibrary } from '../src/problems/indexeddb-library.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import type { BackendName } from '../src/language-model/backends/index.ts'
import { LoopService, type StartRequest } from '../src/runs/loop-service.ts'
import { openingError } from '../src/runs/opening-failure.ts'
import type { EnvironmentWorker } from './environment.ts'
import type { JudgeWorker } from './judge.ts'
import type { PolicyWorker } from './policy.ts'

// The literal `new Worker(new URL(…))` of each is what the bundler looks for.
const START: Record<Role, () => Worker> = {
  policy: () => new Worker(new URL('./policy.ts', import.meta.url), { type: 'module', name: 'policy' }),
  reward: () => new Worker(new URL('./reward.ts', import.meta.url), { type: 'module', name: 'reward' }),
  author: () => new Worker(new URL('./author.ts', import.meta.url), { type: 'module', name: 'author' }),
}

/** Models lie beside the page; this worker lies one folder below it, in the sources and in the build. */
function modelAddress(role: Role, request: StartRequest): string {
  return (
    request.models?.[role] ??
    new URL(`../models/${SHIPPED_MODELS[request.settings.setting][role]}`, self.location.href).href
  )
}

const service = new LoopService({
  openStore: () => IndexedDbRunStore.open(),
  async open(request, { isResumed, onBytes, onNotice, onBackend }) {
    const locations = Object.fromEntries(ROLES.map((role) => [role, modelAddress(role, request)])) as Record<
      Role,
      string
    >
    // First, because it is quick to say what it lacks.
    const { close: closeWorld, ...world } = await openWorld({ settings: request.settings, isResumed }, onNotice)
    try {
      const choice = await chooseBackend({
        wish: request.backend ?? 'auto',
        findObstacle: () => webGpuObstacle((navigator as Partial<Navigator>).gpu),
        measure: (backend) => measured(backend, locations.policy),
      })
      const { backend } = choice
      onBackend(choice)
      const { close, ...models } = await openRoleModels({
        backend,
        locations,
        startWorker: (role) => connectWorker<PolicyWorker>(START[role](), role),
        onBytes,
        onRestart: (loss) => onNotice(restartNotice(loss)),
      })
      return {
        ports: {
          ...models,
          ...world,
          now: () => performance.now(),
        },
        backend,
        models: {
          policy: nameOf(locations.policy),
          reward: nameOf(locations.reward),
          author: nameOf(locations.author),
        },
        interrupt: closeWorld,
        close() {
          close()
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
async function openWorld(request: SettingRequest, onNotice: (text: string) => void): Promise<OpenedSetting> {
  try {
    return await openSetting(request, {
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

async function openHousehold(request: SettingRequest) {
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

const speeds = new Map<string, Promise<number>>()

/** Tokens per second of a model on a backend, in a worker that ends with the measurement. Measured once. */
function measured(backend: BackendName, location: string): Promise<number> {
  const key = `${backend} ${location}`
  let speed = speeds.get(key)
  if (speed === undefined) {
    const bridge = connectWorker<PolicyWorker>(START.policy(), 'policy')
    speed = bridge.remote
      .load({ location, backend })
      .then(() => measureModel(bridge.remote, () => performance.now()))
      .finally(() => bridge.terminate())
    speeds.set(key, speed)
  }
  return speed
}

function nameOf(location: string): string {
  return location.split('/').filter(Boolean).at(-1) ?? location
}

exposeService(service)

export type LoopWorker = LoopService
