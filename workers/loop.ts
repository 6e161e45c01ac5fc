/** Runs the loop over bridges to the other four workers, which it starts itself. */
import { chooseBackend, measureModel, webGpuObstacle } from '../src/engines/backend-choice.ts'
import { restartNotice } from '../src/engines/errors.ts'
import { openRoleModels, ROLES, SHIPPED_MODELS, type Role } from '../src/engines/role-models.ts'
import { connectWorker, exposeService, type Bridge } from '../src/engines/worker-bridge.ts'
import { householdFormats } from '../src/environments/household/roles.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import type { BackendName } from '../src/language-model/backends/index.ts'
import { LoopService, OpeningError, type StartRequest } from '../src/runs/loop-service.ts'
import type { Settings } from '../src/method/settings.ts'
import type { EnvironmentWorker } from './environment.ts'
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
    const environment = await openEnvironment(request.settings, isResumed)
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
          environment: environment.remote,
          formats: householdFormats,
          now: () => performance.now(),
        },
        backend,
        models: {
          policy: nameOf(locations.policy),
          reward: nameOf(locations.reward),
          author: nameOf(locations.author),
        },
        close() {
          close()
          environment.terminate()
        },
      }
    } catch (error) {
      environment.terminate()
      throw error
    }
  },
})

/** Throws OpeningError. */
async function openEnvironment(settings: Settings, isResumed: boolean): Promise<Bridge<EnvironmentWorker>> {
  const environment = connectWorker<EnvironmentWorker>(
    new Worker(new URL('./environment.ts', import.meta.url), { type: 'module', name: 'environment' }),
    'environment',
  )
  try {
    await environment.remote.open({ settings, isResumed })
    return environment
  } catch (cause) {
    environment.terminate()
    const why = cause instanceof Error ? cause.message : String(cause)
    const isWithoutGames = cause instanceof Error && cause.name === 'NoGamesError'
    const remedy = isWithoutGames
      ? `Import them under Games${isResumed ? ', then reload the page and resume the run' : ', or choose generated rooms there'}. ` +
        'A run that is not evaluated (Evaluate every: 0) needs none of the valid folders.'
      : 'Reload the page and start the run again; generated rooms need no imported games.'
    throw new OpeningError({ what: 'The household could not be opened.', why, remedy }, { cause })
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
