/** Reads the file of a world of one's own for the command line. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { OwnWorldError } from '../worlds/own/error.ts'
import { readModule, type OwnModule } from '../worlds/own/module.ts'
import { ArgumentError } from './arguments.ts'
import { errorText } from '../threads/error-text.ts'

/** Whether an argument names a file and not a world that ships. */
export function isWorldFile(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s$/.test(name)
}

/** Throws ArgumentError if the file cannot be read or is no world. */
export async function readWorldFile(path: string): Promise<OwnModule> {
  return asArgument(async () => {
    const source = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new OwnWorldError(`${path} cannot be read: ${errorText(cause)}.`)
    })
    return readModule(source, basename(path))
  })
}

/** Rethrows an OwnWorldError, also one from another thread, as an error of the command line. */
export async function asArgument<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'OwnWorldError') throw error
    throw new ArgumentError(error.message, { cause: error })
  }
}
