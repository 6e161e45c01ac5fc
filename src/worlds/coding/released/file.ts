/**
 * Files of problems in the released form (item.ts): a JSON list of items, a single item, or JSON lines.
 *
 * A file is imported as a whole or not at all, unless items with faults are to be left out. An item that names no split is
 * drawn by a hash of what it holds: one in eight is kept for measuring (`id`), the others are for training; `ood` are only
 * items that say so.
 */
import type { Split } from '../../../method/ports.ts'
import { hashOf } from '../../random.ts'
import { checkerFault, type JudgeOne } from './checker-trial.ts'
import type { Judge } from '../judge/judge.ts'
import type { CodingTask, Problem } from '../problem.ts'
import type { ImportedProblem } from '../problem-source.ts'
import { readItem } from './item.ts'

export const FILE_LIMITS = { characters: 200_000_000, items: 50_000 } as const
/** One in so many items without a split is kept for measuring. */
const HELD_OUT_ONE_IN = 8
/** Faulty items that an error names; the rest are counted. */
const MOST_NAMED = 1

/** The file holds no problems, or items that are none. */
export class ReleasedFormatError extends Error {
  override readonly name = 'ReleasedFormatError'
}

export interface ReleasedFile {
  problems: ImportedProblem[]
  /** A sentence for every item that was left out for its faults. Empty unless that was asked for. */
  faults: string[]
  /** A sentence for every item that is the same problem as an earlier one, and is not in `problems` again. */
  duplicates: string[]
  /** Problems whose time limit was above the 8,000 executed milliseconds that the judge allows, and is that now. */
  cutTimeLimits: number
}

export interface ReadingFileOptions {
  /** Whether items with faults are left out rather than refused with the whole file. */
  leaveOutFaulty?: boolean
  /** Tries the checkers of the problems; a judge in this thread unless given, loaded for the first checker that there is. */
  judge?: JudgeOne
}

/**
 * Throws a ReleasedFormatError that names the first item with a fault, and its field; rejects with what the judge throws if
 * it cannot try the checkers.
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

/** A problem that stands for itself, not rewritten from another one. */
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
      `The file has ${text.length} characters, and at most ${FILE_LIMITS.characters} can be read. Split it into several files.`,
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

/** The same for the same question, tests and checker, whatever the time limit and the file: 64 bits. */
function idOf(problem: Problem): string {
  const { form, statement, tests, checker } = problem
  const name = form === 'call' ? problem.functionName : ''
  // `undefined` would be null in a list: problems without a checker keep the ids that they had before there were any.
  const content = JSON.stringify([form, name, statement, tests, ...(checker === undefined ? [] : [checker])])
  const hex = (part: number) => part.toString(16).padStart(8, '0')
  return `problem-${hex(hashOf('problem', content))}${hex(hashOf(content, 'problem'))}`
}

function splitOf(id: string): Split {
  return hashOf('split', id) % HELD_OUT_ONE_IN === 0 ? 'id' : 'train'
}
