/** The three roles' models, each in a thread of its own. */
import type { BackendName } from '../language-model/backends/index.ts'
import type { Settings } from '../method/settings.ts'
import { SupervisedModel } from './supervised-model.ts'
import type { ModelService } from './tiny.ts'
import type { Bridge } from './worker-bridge.ts'
import type { WorkerLostError } from './errors.ts'

export const BACKENDS = ['cpu', 'webgpu'] as const satisfies readonly BackendName[]

export const ROLES = ['policy', 'reward', 'author'] as const
export type Role = (typeof ROLES)[number]

/** Folder names of the models that we ship: which one plays what in each setting. */
export const SHIPPED_MODELS: Record<Settings['setting'], Record<Role, string>> = {
  household: { policy: 'household-policy', reward: 'household-reward', author: 'household-author' },
  coding: { policy: 'coding-policy', reward: 'coding-reward', author: 'coding-author' },
}

export interface RoleModelsOptions {
  backend: BackendName
  /** Folder of each role's model: addresses in a browser, paths in Node. */
  locations: Record<Role, string>
  startWorker: (role: Role) => Bridge<ModelService>
  /** Bytes of all three together. */
  onBytes?: (done: number, total: number) => void
  onRestart?: (loss: WorkerLostError) => void
}

export interface RoleModels extends Record<Role, SupervisedModel> {
  close(): void
}

/** Starts and loads all three at the same time. */
export async function openRoleModels(options: RoleModelsOptions): Promise<RoleModels> {
  const { backend, locations, startWorker, onBytes, onRestart } = options
  const bytes = new Map<Role, { done: number; total: number }>()
  const open = (role: Role) =>
    new SupervisedModel({
      name: role,
      source: { location: locations[role], backend },
      startWorker: () => startWorker(role),
      ...(onRestart && { onRestart }),
      ...(onBytes && {
        onBytes(done: number, total: number) {
          bytes.set(role, { done, total })
          const all = [...bytes.values()]
          onBytes(
            all.reduce((sum, part) => sum + part.done, 0),
            all.reduce((sum, part) => sum + part.total, 0),
          )
        },
      }),
    })
  const models = { policy: open('policy'), reward: open('reward'), author: open('author') }
  const close = () => ROLES.forEach((role) => models[role].close())
  try {
    await Promise.all(ROLES.map((role) => models[role].load()))
  } catch (error) {
    close()
    throw error
  }
  return { ...models, close }
}
