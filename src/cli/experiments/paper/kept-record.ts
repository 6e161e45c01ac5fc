/** The record of a finished run, measured as this version measures. */
import { MEASURES, measureLog } from './measure-run.ts'
import type { RunFolder } from './run-folder.ts'
import type { RunRecord } from './run-record.ts'
import { readLog } from './unfinished-run.ts'

/**
 * Null for a run that has not finished. A record of other measures is measured again from its log, and written anew; what is not from
 * the log, such as evaluations in other worlds, stays. Throws Error if the record or its log cannot be read.
 */
export async function keptRecord(
  folder: RunFolder,
  key: string,
  tell: (line: string) => void,
): Promise<RunRecord | null> {
  const kept = await folder.record(key)
  if (kept === null || kept.measures === MEASURES) return kept
  tell(`Measuring ${key} again, because the measures have changed`)
  const record = { ...kept, ...(await measureKept(folder, key)) }
  await folder.finish(record)
  return record
}

async function measureKept(folder: RunFolder, key: string): ReturnType<typeof measureLog> {
  try {
    return await measureLog(readLog(folder.logPath(key)))
  } catch (cause) {
    throw new Error(
      `The measures have changed since ${folder.recordPath(key)} was written, and its log ${folder.logPath(key)} cannot be read. ` +
        'Remove the record, and the run starts again.',
      { cause },
    )
  }
}
