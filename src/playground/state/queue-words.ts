/** Words for a queue of runs. */
import { ablationLabel } from '../run/ablations.ts'
import { counted } from '../kit/format.ts'
import type { PlanItem, RunPlan } from '../run/run-plan.ts'

export type HoldReason = 'closed' | 'stopped' | 'failed' | 'replaced'

/** "Full loop, seed 3" */
export function itemName({ ablation, seed }: PlanItem, { base }: RunPlan): string {
  const of = ablation === null ? (base.worldFile?.name ?? base.preset) : ablationLabel(ablation, base.settings.world)
  return `${of}, seed ${seed}`
}

/** "3 of 12 runs done, 1 skipped" */
export function progressOf({ items }: RunPlan): string {
  const count = (state: PlanItem['state']) => items.filter((item) => item.state === state).length
  const [done, leftOut] = [count('done'), count('left-out')]
  return `${done} of ${counted(items.length, 'run')} done${leftOut > 0 ? `, ${leftOut} skipped` : ''}`
}

export function heldSentence(held: HoldReason, item: PlanItem, plan: RunPlan): string {
  const name = itemName(item, plan)
  switch (held) {
    case 'closed':
      return `The page was closed ${item.runId === null ? 'before' : 'in'} the run “${name}”.`
    case 'stopped':
      return `The run “${name}” was stopped.`
    case 'failed':
      return `The run “${name}” failed, and the next one might fail for the same reason, which is shown above.`
    case 'replaced':
      return `You started another run instead of “${name}”.`
  }
}
