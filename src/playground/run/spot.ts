/**
 * A place in a run as part of an address, so that a step can be cited:
 *
 *     at=12/look_at_obj_in_light-book-307/train-5/2/5    iteration 12, a task by its id, rollout 2, step 5
 *     at=12/arithmetic-1/train-7/2/test-3                coding: program 2 on test 3
 *     at=12/arithmetic-1/train-7/test-3/2                the test itself, beside program 2
 *
 * Everything is counted from 1, as on the page. Ids may hold slashes: what stands before the last two parts, all but the
 * iteration, is the id. Written by hand, the last parts may be left out.
 */
export interface Spot {
  /** From 1 on. */
  iteration: number
  /** Null is the group that the page shows by itself. */
  taskId: string | null
  /** These three from 0 on. */
  rollout: number
  step: number
  /** Of programs × tests: the column; null where only a program is looked at. */
  test: number | null
  /** Whether the test itself is looked at, not how a program fares on it. */
  isOnHeads: boolean
}

/** An address is at most a few hundred characters; ids beyond are nobody's. */
const LONGEST = 1000
const NUMBER = /^[1-9]\d{0,8}$/
const TEST = /^test-([1-9]\d{0,8})$/

/** The value of `at`. */
export function writeSpot({ iteration, taskId, rollout, step, test, isOnHeads }: Spot): string {
  if (taskId === null) return `${iteration}`
  const id = encodeURIComponent(taskId).replaceAll('%2F', '/')
  const program = `${rollout + 1}`
  const last = test === null ? [program, `${step + 1}`] : [program, `test-${test + 1}`]
  return [iteration, id, ...(isOnHeads ? last.toReversed() : last)].join('/')
}

/** Null for what is no place. */
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
