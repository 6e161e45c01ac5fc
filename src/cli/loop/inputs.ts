/**
 * What decides a run's log besides its settings: the models, and the imported tasks. `--save` keeps it with the checkpoint, and
 * `--resume` compares it. A local folder counts by what is in it, so it may move.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoraOptions } from '../../language-model/lora/options.ts'
import { PROJECTIONS } from '../../language-model/weights/projection-names.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import type { World } from '../../method/settings.ts'
import { isShipped, shippedFolder } from '../../roles/shipped-models.ts'
import type { RoleSource } from '../../roles/source.ts'
import type { RunInputs } from '../../runs/checkpoint-folder.ts'
import { errorText } from '../../threads/error-text.ts'

/** `imported` are the tasks of `--games` or `--problems`; their `hash` is a contentHash. */
export async function inputsOf(
  sources: Readonly<Record<Role, RoleSource>>,
  world: World,
  modelFolder: (name: string) => string,
  imported?: { name: string; hash: string },
): Promise<RunInputs> {
  const inputs: Record<string, string> = {}
  for (const role of ROLES) {
    const source = sources[role]
    const folder = isShipped(source) ? modelFolder(shippedFolder(source, world, role)) : undefined
    for (const [name, value] of Object.entries(await modelInputs(source, role, folder)))
      inputs[`${role} ${name}`] = value
  }
  if (imported) inputs[imported.name] = imported.hash
  return inputs
}

/** `shipped` is the folder of a built-in model. */
async function modelInputs(
  source: RoleSource,
  role: Role,
  shipped: string | undefined,
): Promise<Record<string, string>> {
  const { kind } = source
  switch (kind) {
    case 'built-in':
    case 'built-in-webllm':
      return { kind, ...(await folderInputs(shipped!, role === 'author')) }
    case 'checkpoint': {
      const { location, adapters, storage, contextWindow } = source
      // The checkpoint has all weights of a model that trains them.
      const needsBase = role === 'author' || adapters !== null || storage !== 'float32'
      return {
        kind,
        adapters: adapterWords(adapters),
        storage,
        contextWindow: String(contextWindow ?? 'its own'),
        ...(await placeInputs(location, needsBase)),
      }
    }
    case 'openai':
      return { kind, address: source.baseUrl, name: source.model }
    case 'tinker':
      return {
        kind,
        address: source.baseUrl,
        name: source.baseModel,
        rank: String(source.rank),
        ...(await placeInputs(source.tokenizer, false)),
      }
    case 'webllm':
      return { kind, name: source.record.model_id }
  }
}

/** As `--lora` takes them. */
function adapterWords(adapters: LoraOptions | null): string {
  if (adapters === null) return 'none'
  const { rank, alpha, dropout, targets } = adapters
  const words = targets.length === PROJECTIONS.length ? 'all' : targets.join('+')
  return `rank=${rank},alpha=${alpha},dropout=${dropout},targets=${words}`
}

async function placeInputs(location: string, hasWeights: boolean): Promise<Record<string, string>> {
  return location.includes('://') ? { location } : folderInputs(location, hasWeights)
}

/** Whoever opens the model reports a folder that cannot be read. */
async function folderInputs(folder: string, hasWeights: boolean): Promise<Record<string, string>> {
  const names = await readdir(folder).catch((error: unknown) => errorText(error))
  if (typeof names === 'string') return { files: names }
  const hashOf = (ending: RegExp) => filesHash(folder, names.filter((name) => ending.test(name)).sort())
  return {
    files: await hashOf(/\.(json|jinja)$/),
    ...(hasWeights && { weights: await hashOf(/\.safetensors$/) }),
  }
}

async function filesHash(folder: string, names: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const name of names) {
    hash.update(`${name}\n`)
    for await (const bytes of createReadStream(join(folder, name))) hash.update(bytes as Buffer)
  }
  return shortHash(hash.digest('hex'))
}

/** Differs for other items, and for the same in another order. */
export function contentHash(items: Iterable<unknown>): string {
  const hash = createHash('sha256')
  for (const item of items) hash.update(`${JSON.stringify(item)}\n`)
  return shortHash(hash.digest('hex'))
}

function shortHash(digits: string): string {
  return `sha256:${digits.slice(0, 16)}`
}
