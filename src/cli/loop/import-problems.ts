/** `--problems PATH`: the problems of a file, for the coding world. */
import type { ImportedProblem } from '../../worlds/coding/problem-source.ts'
import type { ReleasedFile } from '../../worlds/coding/released/file.ts'
import type { Split } from '../../method/ports.ts'
import { openProblemFile } from '../../worlds/coding/library/node-file.ts'
import { ProblemFileError } from '../../worlds/coding/library/problem-file.ts'
import { ArgumentError } from '../arguments.ts'

/** Most skipped items to report one by one; the rest are counted. */
const MOST_LINES = 5
const SPLITS = ['train', 'id', 'ood'] as const satisfies readonly Split[]

/** Reports what was imported and what was not, line by line. Throws ArgumentError if there is no problem. */
export async function importProblems(path: string, tell: (line: string) => void): Promise<readonly ImportedProblem[]> {
  const { problems, faults, duplicates, cutTimeLimits } = await readProblems(path)
  const leftOut = [...faults, ...duplicates]
  for (const sentence of leftOut.slice(0, MOST_LINES)) tell(`Left out: ${sentence}`)
  const untold = leftOut.length - MOST_LINES
  if (untold > 0) tell(`Skipped ${untold} more.`)
  if (cutTimeLimits > 0) tell(`Lowered the time limits of ${cutTimeLimits} to what the judge allows.`)
  const counts = SPLITS.flatMap((split) => {
    const count = problems.filter((problem) => problem.split === split).length
    return count === 0 ? [] : `${count} ${split}`
  })
  tell(`Imported ${problems.length} problems: ${counts.join(', ')}.`)
  return problems
}

async function readProblems(path: string): Promise<ReleasedFile> {
  try {
    return await openProblemFile(path, { leaveOutFaulty: true })
  } catch (error) {
    if (!(error instanceof ProblemFileError)) throw error
    throw new ArgumentError(`--problems: ${error.message}`, { cause: error })
  }
}
