/**
 * A run's checkpoint on disk, as standard Hugging Face model folders with the rest beside them:
 *
 *     checkpoint.json                 run, iteration, events of the log, what the run was given, and the size of every file
 *     policy/                         config.json, tokenizer.json, model.safetensors…: opens in this project, in `transformers`
 *     reward/                         and in other programs. Adapters are merged in, so that none needs PEFT or the base model
 *     optimizer/policy.safetensors    what only resuming needs (checkpoint-parts.ts): the optimiser's moments, and the adapters
 *     optimizer/reward.safetensors    themselves. Not in the model folders, because servers read every .safetensors there
 *
 * A model that cannot change, or whose weights are on a server, has no folder.
 *
 * A killed process leaves a whole checkpoint. The next one is written to `.writing`, which is renamed to `.written` once it is
 * complete. From then on, opening the folder first moves the files of `.written` to their places. Without `.written`, it
 * discards `.writing`.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import * as v from 'valibot'
import { checkpointRest, WEIGHTS_FILE, wholeCheckpoint } from '../language-model/files/checkpoint-parts.ts'
import { LEARNING_ROLES, type LearningRole } from '../roles/learning.ts'
import type { FolderFiles } from '../roles/role-model.ts'
import type { RunCheckpoint } from './run-store.ts'

const FORMAT = 'rlanything-checkpoint'
const VERSION = 1
const INDEX = 'checkpoint.json'
const WRITING = '.writing'
const WRITTEN = '.written'

/** The folder holds no whole checkpoint. */
export class CheckpointFolderError extends Error {
  override readonly name = 'CheckpointFolderError'
}

/** What decides a run's log besides its settings, by name, as texts to compare: the models' sources, and hashes of files. */
export type RunInputs = Readonly<Record<string, string>>

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const indexSchema = v.object({
  format: v.literal(FORMAT),
  version: v.literal(VERSION),
  runId: v.string(),
  iteration: count,
  eventCount: count,
  /** Older checkpoints lack it. */
  inputs: v.optional(v.record(v.string(), v.string())),
  /** Bytes by path. */
  files: v.record(v.string(), count),
})
type Index = v.InferOutput<typeof indexSchema>

/** `folders` has the models' folders; null for a role without one. */
export async function writeCheckpointFolder(
  folder: string,
  { runId, iteration, eventCount, ...checkpoints }: RunCheckpoint,
  folders: Readonly<Record<LearningRole, FolderFiles | null>>,
  inputs: RunInputs,
): Promise<void> {
  await finishWriting(folder)
  const files = new Map<string, Uint8Array>()
  for (const role of LEARNING_ROLES) {
    const model = folders[role]
    const checkpoint = checkpoints[role]
    for (const [name, bytes] of Object.entries(model ?? {})) files.set(`${role}/${name}`, bytes)
    const weights = model?.[WEIGHTS_FILE]
    files.set(restPath(role), weights ? checkpointRest(checkpoint, weights) : checkpoint)
  }
  const sizes = Object.fromEntries(Array.from(files, ([path, { length }]) => [path, length]))
  const index: Index = { format: FORMAT, version: VERSION, runId, iteration, eventCount, inputs, files: sizes }
  files.set(INDEX, new TextEncoder().encode(`${JSON.stringify(index, null, 2)}\n`))
  for (const [path, bytes] of files) {
    const target = join(folder, WRITING, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes, { flush: true })
  }
  await rename(join(folder, WRITING), join(folder, WRITTEN))
  await finishWriting(folder)
}

/** Whether the folder has a checkpoint, which need not be whole. */
export function hasCheckpoint(folder: string): boolean {
  return existsSync(join(folder, INDEX)) || existsSync(join(folder, WRITTEN))
}

/** `inputs` is null in older checkpoints. */
export type StoredCheckpoint = RunCheckpoint & { inputs: RunInputs | null }

/** Null if the folder has no checkpoint. Throws CheckpointFolderError if it is incomplete, and SafetensorsError. */
export async function readCheckpointFolder(folder: string): Promise<StoredCheckpoint | null> {
  await finishWriting(folder)
  const index = await readIndex(folder)
  if (index === null) return null
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = existsSync(join(folder, path)) ? await readFile(join(folder, path)) : null
    const expected = index.files[path]
    if (bytes === null || expected === undefined || bytes.length !== expected) {
      const fault = bytes === null ? 'is missing' : `has ${bytes.length} bytes instead of ${expected ?? 'none'}`
      throw new CheckpointFolderError(
        `The checkpoint in ${folder} is incomplete: ${path} ${fault}. The folder was cut while it was copied, or changed; copy it again, or start a new run.`,
      )
    }
    return bytes
  }
  const whole = async (role: LearningRole) =>
    wholeCheckpoint(await read(restPath(role)), restPath(role), () => read(`${role}/${WEIGHTS_FILE}`))
  const { runId, iteration, eventCount, inputs = null } = index
  return { runId, iteration, eventCount, inputs, policy: await whole('policy'), reward: await whole('reward') }
}

function restPath(role: LearningRole): string {
  return `optimizer/${role}.safetensors`
}

async function readIndex(folder: string): Promise<Index | null> {
  const path = join(folder, INDEX)
  if (!existsSync(path)) return null
  let json: unknown = null
  try {
    json = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  const parsed = v.safeParse(indexSchema, json)
  if (parsed.success) return parsed.output
  throw new CheckpointFolderError(
    `${path} is not the index of a checkpoint of version ${VERSION}. Choose a folder that \`npm run loop -- --save\` wrote.`,
  )
}

/** Moves the files of a complete checkpoint to their places, the index last, and discards those of an incomplete one. */
async function finishWriting(folder: string): Promise<void> {
  await rm(join(folder, WRITING), { recursive: true, force: true })
  const from = join(folder, WRITTEN)
  if (!existsSync(from)) return
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(from, join(parentPath, name)))
  for (const path of paths.sort((a, b) => Number(a === INDEX) - Number(b === INDEX))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await rename(join(from, path), join(folder, path))
  }
  await rm(from, { recursive: true })
}
