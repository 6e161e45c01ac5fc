/**
 * Keeps the splits apart: `train` and `id` share combinations of steps but no spec. Every `ood` problem has a pair of adjacent steps
 * that the others do not have.
 */
import type { Split } from '../../../method/ports.ts'
import { hashOf } from '../../random.ts'
import { specKey, type Op, type Spec } from './spec.ts'

const HELD_OUT_PAIRS_PERCENT = 15
const HELD_OUT_SPECS_PERCENT = 10

/** Whether only `ood` has the second step directly after the first. */
export function isHeldOutPair(first: Op, second: Op): boolean {
  return hashOf('held-out pair of steps', first, second) % 100 < HELD_OUT_PAIRS_PERCENT
}

export function splitOf(spec: Spec): Split {
  const { steps } = spec
  const isOod = steps.some(({ op }, i) => i > 0 && isHeldOutPair(steps[i - 1]!.op, op))
  if (isOod) return 'ood'
  return hashOf('held-out spec', specKey(spec)) % 100 < HELD_OUT_SPECS_PERCENT ? 'id' : 'train'
}
