/**
 * What the splits keep from each other: `train` and `id` share their combinations of steps but no spec; `ood` asks, at every
 * problem, for a pair of adjacent steps that neither of them ever has.
 */
import type { Split } from '../../../method/ports.ts'
import { hashOf } from '../../random.ts'
import { specKey, type Op, type Spec } from './spec.ts'

const HELD_OUT_PAIRS_PERCENT = 15
const HELD_OUT_SPECS_PERCENT = 10

/** Whether the second step right after the first is kept for `ood`. */
export function isHeldOutPair(first: Op, second: Op): boolean {
  return hashOf('held-out pair of steps', first, second) % 100 < HELD_OUT_PAIRS_PERCENT
}

export function splitOf(spec: Spec): Split {
  const { steps } = spec
  const isOod = steps.some(({ op }, i) => i > 0 && isHeldOutPair(steps[i - 1]!.op, op))
  if (isOod) return 'ood'
  return hashOf('held-out spec', specKey(spec)) % 100 < HELD_OUT_SPECS_PERCENT ? 'id' : 'train'
}
