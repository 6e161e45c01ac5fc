/**
 * Opens the models of a run: from the sources of its roles to loaded models, their backend, and their role formats. Used by
 * page and command line. Refuses what it can before anything is loaded.
 */
import type { LoopPorts } from '../method/loop-contract.ts'
import { ROLES, type Role } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'
import { chooseBackend, measureModel, type BackendChoice } from '../engines/backends/choice.ts'
import { restartNotice } from '../threads/errors.ts'
import type { BackendWish } from './messages.ts'
import type { RoleHost } from './open-role.ts'
import type { OpenedWorld } from '../worlds/world.ts'
import { fullContextNotice } from '../roles/context.ts'
import { checkLearners } from '../roles/learning.ts'
import type { TransformerSource } from '../engines/transformer/transformer-model.ts'
import { isShipped, modelNames, shippedFolder } from '../roles/shipped-models.ts'
import { openRoles } from './open-roles.ts'
import { smallRoles } from './small-models.ts'
import type { RoleSource, ServerKeys } from '../roles/source.ts'
import type { ModelInfo, RoleModel } from '../roles/role-model.ts'

export interface PlayersRequest {
  settings: Settings
  sources: Record<Role, RoleSource>
  keys: ServerKeys
  backend: BackendWish
}

export interface PlayersHost extends RoleHost {
  /** Why WebGPU cannot be used here; null if it can be tried. */
  findWebGpuObstacle(): Promise<string | null>
  now(): number
}

export interface PlayersListener {
  onBackend(choice: BackendChoice): void
  onNotice(text: string): void
  onBytes?: (done: number, total: number) => void
}

export interface Players extends Record<Role, RoleModel>, Pick<LoopPorts, 'formats'> {
  backend: BackendChoice['backend']
  /** Names of the models in the log. */
  names: Record<Role, string>
  infos: Record<Role, ModelInfo>
  close(): void
}

/** Throws RoleModelError and the errors of loading a model. */
export async function openPlayers(
  request: PlayersRequest,
  world: Pick<OpenedWorld, 'formatsFor' | 'grammars'>,
  host: PlayersHost,
  { onBackend, onNotice, onBytes }: PlayersListener,
): Promise<Players> {
  const { settings, sources, keys } = request
  checkLearners(sources, settings)
  const small = await smallRoles(sources)
  const choice = await backendFor(request, small, host)
  onBackend(choice)
  const { infos, close, ...models } = await openRoles({
    sources,
    host,
    settings,
    small,
    keys,
    ...(Object.values(sources).some(({ kind }) => kind === 'webllm' || kind === 'built-in-webllm') && {
      grammars: await world.grammars(),
    }),
    backend: choice.backend,
    ...(onBytes && { onBytes }),
    onRestart: (loss) => onNotice(restartNotice(loss)),
    onNotice,
    onFullContext: (...full) => onNotice(fullContextNotice(...full)),
  })
  try {
    const [policy, reward, author] = await Promise.all(ROLES.map((role) => models[role].chatPieces()))
    const formats = await world.formatsFor({ policy: policy!, reward: reward!, author: author! })
    return {
      ...models,
      formats,
      backend: choice.backend,
      names: modelNames(sources, settings.world),
      infos,
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

/** Measures a built-in or small model; others are too large to load twice. */
async function backendFor(
  { settings, sources, backend: wish }: PlayersRequest,
  small: ReadonlySet<Role>,
  host: PlayersHost,
): Promise<BackendChoice> {
  const isComputedHere = (source: RoleSource) => isShipped(source) || source.kind === 'checkpoint'
  if (wish === 'auto' && !Object.values(sources).some(isComputedHere)) {
    return { backend: 'cpu', why: 'No model runs in the built-in transformer.', tokensPerSecond: {} }
  }
  const measurable = ROLES.find((role) => isShipped(sources[role]) || small.has(role))
  const isTooLarge = ROLES.some((role) => sources[role].kind === 'checkpoint' && !small.has(role))
  return chooseBackend({
    wish,
    findObstacle: () => host.findWebGpuObstacle(),
    measure:
      measurable === undefined || isTooLarge
        ? null
        : (backend) => measured({ ...placeOf(measurable, sources[measurable], settings, host), backend }, host),
  })
}

/** Where the model to measure is. */
function placeOf(role: Role, source: RoleSource, { world }: Settings, host: PlayersHost): Place {
  if (source.kind !== 'checkpoint') return { location: host.shippedModel(shippedFolder(source, world, role)) }
  const { location, adapters, storage, contextWindow } = source
  return { location, checkpoint: { adapters, storage, contextWindow, isTrained: true, adapterSeed: 0 } }
}
type Place = Omit<TransformerSource, 'backend'>

/** Measured tokens per second of each host, by backend and model. */
const speeds = new WeakMap<PlayersHost, Map<string, Promise<number>>>()

/** Tokens per second of a model on a backend, measured once, in a temporary worker. */
function measured(source: TransformerSource, host: PlayersHost): Promise<number> {
  const known = speeds.get(host) ?? new Map<string, Promise<number>>()
  speeds.set(host, known)
  const key = `${source.backend} ${source.location}`
  let speed = known.get(key)
  if (speed === undefined) {
    const bridge = host.startModel('policy')
    speed = bridge.remote
      .load(source)
      .then(() => measureModel(bridge.remote, () => host.now()))
      .finally(() => bridge.terminate())
    known.set(key, speed)
    // After a failure, such as a lost network, the next run measures again.
    speed.catch(() => known.delete(key))
  }
  return speed
}
