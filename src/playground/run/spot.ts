/**
 * A place in a run as part of an address, so that a link can name a step:
 *
 *     at=12/look_at_obj_in_light-book-307/train-5/2/5    iteration 12, a task by its id, rollout 2, step 5
 *     at=12/arithmetic-1/train-7/2/test-3                coding: program 2 on test 3
 *     at=12/arithmetic-1/train-7/test-3/2                the test itself, beside program 2
 *
 * Everything is counted from 1, as on the page. Ids may contain slashes: the id is everything between the iteration and the
 * last two parts, which are optional.
 */
export interface Spot {
  /** Counted from 1. */
  iteration: number
  /** Null for the task that the page chooses. */
  taskId: string | null
  /** This and the next two are counted from 0. */
  rollout: number
  step: number
  /** A program's hidden tests come first, then the written ones. Null if no test is chosen. */
  test: number | null
  /** Whether the test itself is chosen, instead of a program's result on it. */
  isOnHeads: boolean
}

/** Characters. No id is nearly as long. */
const LONGEST = 1000
const NUMBER = /^[1-9]\d{0,8}$/
const TEST = /^test-([1-9]\d{0,8})$/

/** Writes the value of `at`. */
export function writeSpot({ iteration, taskId, rollout, step, test, isOnHeads }: Spot): string {
  if (taskId === null) return `${iteration}`
  const id = encodeURIComponent(taskId).replaceAll('%2F', '/')
  const program = `${rollout + 1}`
  const last = test === null ? [program, `${step + 1}`] : [program, `test-${test + 1}`]
  return [iteration, id, ...(isOnHeads ? last.toReversed() : last)].join('/')
}

/** Null if the text is not a place. */
export function readSpot(text: string): Spot | null {
  if (text.length > LONGEST) return null
  const [first = '', ...rest] = text.split('/')
  if (!NUMBER.test(first)) return null
  const last: string[] = []
  const isLast = (part: string) => NUMBER.test(part) || (TEST.test(part) && !last.some((other) => TEST.test(other)))
  while (rest.length > 1 && last.length < 2 && isLast(rest.at(-1)!)) last.unshift(rest.pop()!)
  const [third, fourth] = last
  const isOnHeads = third !== undefined && TEST.test(third)
  const test = TEST.exec((isOnHeads ? third : fourth) ?? '')?.[1]
  const rollout = (isOnHeads ? fourth : third) ?? '1'
  const step = isOnHeads || test !== undefined ? '1' : (fourth ?? '1')
  const taskId = decoded(rest.join('/'))
  if (taskId === null) return null
  return {
    iteration: Number(first),
    taskId: taskId === '' ? null : taskId,
    rollout: Number(rollout) - 1,
    step: Number(step) - 1,
    test: test === undefined ? null : Number(test) - 1,
    isOnHeads,
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
