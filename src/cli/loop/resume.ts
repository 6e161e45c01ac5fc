/** `--resume`: the checkpoint to continue from, checked against the arguments, so that the log stays that of one run. */
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorldFile } from '../../method/events.ts'
import { ROLES, type LanguageModelPort, type Role } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import { LEARNING_ROLES, type LearningRole } from '../../roles/learning.ts'
import { hasCheckpoint, type RunInputs } from '../../runs/checkpoint-folder.ts'
import { cutLog, readResumable, UnfinishedLogError } from '../../runs/file-store.ts'
import { parseRunLog } from '../../runs/run-log.ts'
import { errorText } from '../../threads/error-text.ts'
import { isSameProgram } from '../../worlds/own/same-program.ts'
import { ArgumentError } from '../arguments.ts'
import type { LoopArguments } from './arguments.ts'

export type Resumed = NonNullable<Awaited<ReturnType<typeof readResumable>>>

/**
 * Null without a checkpoint; then creates the folder of `--save`. Throws ArgumentError if the arguments are those of another run, if
 * this run would overwrite the log, the checkpoint or the models of another, or if the folder cannot be written.
 */
export async function findCheckpoint(
  runId: string,
  options: LoopArguments,
  { inputs, worldFile }: { inputs: RunInputs; worldFile?: WorldFile | undefined },
): Promise<Resumed | null> {
  const { out, save, settings, backend } = options
  if (save !== undefined && (await stat(save).catch(() => null))?.isDirectory() === false)
    throw new ArgumentError(`--save: ${save} is a file. Name a folder, which need not exist.`)
  if (!options.isResumed) {
    if (out !== undefined && (await hasContent(out)))
      throw new ArgumentError(
        `--out: ${out} exists already. Continue its run with --resume, or name another file with --out.`,
      )
    if (save !== undefined && hasCheckpoint(save))
      throw new ArgumentError(
        `--save: ${save} has the checkpoint of a run. Continue that run with --resume, or name another folder with --save.`,
      )
  }
  const found = options.isResumed && out !== undefined && save !== undefined ? await resumableOf(out, save) : null
  if (found === null) {
    if (options.isResumed && out !== undefined && (await hasFinishedIteration(out)))
      throw new ArgumentError(
        `--resume: ${out} has finished iterations, but ${save} has no checkpoint. Name the --save folder of that run, or start another run with another --out.`,
      )
    if (save !== undefined) await createFolder(save)
    return null
  }
  const { started, checkpoint } = found
  if (started.runId !== runId)
    throw new ArgumentError(
      `--resume: ${save} has a checkpoint of run ${started.runId}, and these arguments are of ${runId}. Repeat the arguments of that run.`,
    )
  if (!isSameWorld(started.worldFile, worldFile))
    throw new ArgumentError(
      `--resume: the run plays in ${fileWords(started.worldFile)}, and these arguments give ${fileWords(worldFile)}. Give --world the file of that run as it was, or start another run with another --out.`,
    )
  const differing = (Object.keys(settings) as (keyof Settings)[]).find(
    (name) => started.settings[name] !== settings[name],
  )
  if (differing !== undefined)
    throw new ArgumentError(
      `--resume: the run started with ${differing}=${started.settings[differing]}, not ${settings[differing]}. Repeat its arguments.`,
    )
  if (backend !== 'auto' && backend !== started.backend)
    throw new ArgumentError(`--resume: the run started with --backend ${started.backend}, not ${backend}.`)
  if (checkpoint.inputs !== null) checkInputs(checkpoint.inputs, inputs)
  return found
}

async function resumableOf(log: string, folder: string): ReturnType<typeof readResumable> {
  try {
    return await readResumable(log, folder)
  } catch (error) {
    if (!(error instanceof UnfinishedLogError)) throw error
    throw new ArgumentError(`--resume: ${error.message}`, { cause: error })
  }
}

/** Before the models open, so that a folder that cannot be used costs no iteration. */
async function createFolder(folder: string): Promise<void> {
  const model = LEARNING_ROLES.find((role) => existsSync(join(folder, role)))
  if (model !== undefined)
    throw new ArgumentError(
      `--save: ${folder} has no checkpoint, but a folder "${model}", which the checkpoint would overwrite. Name another folder.`,
    )
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new ArgumentError(`--save: ${folder} cannot be written: ${errorText(error)}. Name another folder.`, {
      cause: error,
    })
  }
}

function checkInputs(kept: RunInputs, given: RunInputs): void {
  const differing = Object.keys({ ...kept, ...given }).find((name) => kept[name] !== given[name])
  if (differing === undefined) return
  const [before, now] = [kept, given].map((inputs) => inputs[differing] ?? 'none')
  throw new ArgumentError(
    `--resume: the run has ${differing} ${before}, and these arguments give ${now}. Repeat its arguments, with the same files.`,
  )
}

async function hasContent(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return found !== null && found.size > 0
}

/** A killed process may have cut off the last line. Throws RunLogError for a file that is not a log. */
async function hasFinishedIteration(log: string): Promise<boolean> {
  if (!(await hasContent(log))) return false
  const events = parseRunLog(await readFile(log, 'utf8'), { isTornEndAllowed: true })
  return events.some(({ type }) => type === 'iteration-finished')
}

function isSameWorld(one: WorldFile | undefined, other: WorldFile | undefined): boolean {
  if (!one || !other) return one === other
  return one.hash === other.hash || isSameProgram(one.script, other.script)
}

/** "key-and-chest.ts (version 1a2b3c4d)". */
function fileWords(file: WorldFile | undefined): string {
  return file ? `${file.file} (version ${file.hash.slice(0, 8)})` : 'a built-in world'
}

/** Loads the checkpoint into the models and cuts the log back to it. Throws ArgumentError for models of another run. */
export async function restore(
  { checkpoint, history, started }: Resumed,
  log: string,
  players: Record<LearningRole, LanguageModelPort> & { names: Record<Role, string> },
): Promise<void> {
  const other = ROLES.find((role) => started.models[role] !== players.names[role])
  if (other !== undefined)
    throw new ArgumentError(
      `--resume: the run’s ${other} model was ${started.models[other]}, not ${players.names[other]}. Repeat its arguments.`,
    )
  await Promise.all(LEARNING_ROLES.map((role) => players[role].loadCheckpoint(checkpoint[role])))
  await cutLog(log, history, checkpoint.iteration)
}
