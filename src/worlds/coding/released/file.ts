/**
 * Files of problems in the released form (item.ts): a JSON list of items, a single item, or JSON lines.
 *
 * A file is imported whole or not at all, unless faulty items may be left out. An item without a split gets one by a hash of
 * its content: one in eight is for evaluation (`id`), the others are for training. Only items that say so are `ood`.
 */
import type { Split } from '../../../method/ports.ts'
import { hashOf } from '../../random.ts'
import { checkerFault, type JudgeOne } from './checker-trial.ts'
import type { Judge } from '../judge/judge.ts'
import type { CodingTask, Problem } from '../problem.ts'
import type { ImportedProblem } from '../problem-source.ts'
import { readItem } from './item.ts'

export const FILE_LIMITS = { characters: 200_000_000, items: 50_000 } as const
/** One in this many items without a split is for evaluation. */
const HELD_OUT_ONE_IN = 8
/** Number of faulty items that an error describes; it counts the others. */
const MOST_NAMED = 1

/** The file has no problems, or faulty items. */
export class ReleasedFormatError extends Error {
  override readonly name = 'ReleasedFormatError'
}

export interface ReleasedFile {
  problems: ImportedProblem[]
  /** One sentence for every faulty item that was left out. Empty unless `leaveOutFaulty` is set. */
  faults: string[]
  /** One sentence for every item that repeats an earlier problem and is not in `problems` again. */
  duplicates: string[]
  /** Number of problems whose time limit was reduced to the judge's maximum of 8,000 executed milliseconds. */
  cutTimeLimits: number
}

export interface ReadingFileOptions {
  /** Leaves out faulty items instead of refusing the whole file. */
  leaveOutFaulty?: boolean
  /** Tries the problems' checkers. Defaults to a judge in this thread, which loads for the first checker. */
  judge?: JudgeOne
}

/**
 * Throws a ReleasedFormatError that names the first faulty item and its field, or the judge's error if it cannot try the
 * checkers.
 */
export async function readReleasedFile(
  text: string,
  { leaveOutFaulty = false, judge = inThisThread() }: ReadingFileOptions = {},
): Promise<ReleasedFile> {
  const file: ReleasedFile = { problems: [], faults: [], duplicates: [], cutTimeLimits: 0 }
  const places = new Map<string, string>()
  let items = 0
  for (const { place, ...found } of itemsOf(text)) {
    if (++items > FILE_LIMITS.items) {
      throw new ReleasedFormatError(`The file has more than ${FILE_LIMITS.items} items. Split it into several files.`)
    }
    const read = 'fault' in found ? found : readItem(found.item, { isStrict: false, leastTests: 1 })
    const fault = 'fault' in read ? read.fault : await checkerFault(read.problem, judge)
    if ('fault' in read || fault !== null) {
      file.faults.push(`${place}: ${fault}.`)
      continue
    }
    const id = idOf(read.problem)
    const earlier = places.get(id)
    if (earlier !== undefined) {
      file.duplicates.push(`${place} is the same problem as ${earlier.toLowerCase()}.`)
      continue
    }
    places.set(id, place)
    if (read.isTimeLimitCut) file.cutTimeLimits++
    file.problems.push({ split: read.split ?? splitOf(id), task: importedTask(id, read.problem) })
  }
  if (items === 0) throw new ReleasedFormatError('The file is empty. It should hold problems, as JSON or JSON lines.')
  const isRefused = file.faults.length > 0 && (!leaveOutFaulty || file.problems.length === 0)
  if (isRefused) throw new ReleasedFormatError(refusal(file.faults, file.problems.length))
  return file
}

function inThisThread(): JudgeOne {
  let judge: Promise<Judge> | null = null
  return async (job) => {
    judge ??= import('../judge/judge.ts').then(({ Judge }) => new Judge())
    return (await judge).judge(job)
  }
}

/** A task with no earlier version: its own root. */
export function importedTask(id: string, problem: Problem): CodingTask {
  return { id, rootId: id, instruction: problem.statement, kind: kindOf(problem), body: problem }
}

function kindOf({ form }: Problem): string {
  return form === 'call' ? 'function' : 'stdio'
}

interface FoundItem {
  /** "Item 3 (line 3)", or "Item 3" of a list. */
  place: string
}

function* itemsOf(text: string): Generator<FoundItem & ({ item: unknown } | { fault: string })> {
  if (text.length > FILE_LIMITS.characters) {
    throw new ReleasedFormatError(
      `The file has ${text.length} characters; the limit is ${FILE_LIMITS.characters}. Split it into several files.`,
    )
  }
  const start = /\S/.exec(text.replace(/^\uFEFF/, ''))?.[0]
  if (start === undefined) return
  const whole = parsed(text.replace(/^\uFEFF/, ''))
  if ('value' in whole) {
    const items = Array.isArray(whole.value) ? (whole.value as unknown[]) : [whole.value]
    yield* items.map((item, index) => ({ place: `Item ${index + 1}`, item }))
    return
  }
  if (start === '[') throw new ReleasedFormatError(`The file is not JSON: ${whole.reason}. Was it cut short?`)
  let number = 0
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const place = `Item ${++number} (line ${index + 1})`
    const read = parsed(line)
    yield 'value' in read ? { place, item: read.value } : { place, fault: `it is not JSON: ${read.reason}` }
  }
}

function parsed(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    // V8 quotes the text, which may be long.
    return { reason: (error as Error).message.replace(/\s+/g, ' ').slice(0, 120) }
  }
}

function refusal(faults: readonly string[], others: number): string {
  const untold = faults.length - MOST_NAMED
  const more = untold > 0 ? ` ${untold} more ${untold === 1 ? 'item has a fault' : 'items have faults'}.` : ''
  const remedy = others > 0 ? `Correct the file, or import the other ${others} without it.` : 'Correct the file.'
  return `${faults.slice(0, MOST_NAMED).join(' ')}${more} Nothing was imported. ${remedy}`
}

/** A 64-bit hash of question, tests and checker; independent of time limit and file. */
function idOf(problem: Problem): string {
  const { form, statement, tests, checker } = problem
  const name = form === 'call' ? problem.functionName : ''
  // Omits a missing checker, since JSON would write null: such problems keep the ids from before checkers existed.
  const content = JSON.stringify([form, name, statement, tests, ...(checker === undefined ? [] : [checker])])
  const hex = (part: number) => part.toString(16).padStart(8, '0')
  return `problem-${hex(hashOf('problem', content))}${hex(hashOf(content, 'problem'))}`
}

function splitOf(id: string): Split {
  return hashOf('split', id) % HELD_OUT_ONE_IN === 0 ? 'id' : 'train'
}
