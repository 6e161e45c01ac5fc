/**
 * Keeps the splits apart. `train` and `id` share layouts and templates but no combination of layout, template and parameters. `ood` has
 * the templates over the browser and over two applications, pairs of object and target that the others do not have, and layouts
 * whose combination of words, order and More menu the others do not have. Every word and every single trait occurs in training.
 */
import type { Split } from '../../../method/ports.ts'
import { hashOf } from '../../random.ts'
import { layoutOf, NESTING_COUNT, ORDERS, WORDINGS, type Layout } from '../engine/layout.ts'

export interface LayoutPlan {
  layout: Layout
  /** Which section each control is in. */
  sections: 0 | 1
  name: string
}

/** Five of the 36 combinations. */
const isUnseenLayout = (words: number, order: number, nesting: number): boolean =>
  (words + 2 * order + 3 * nesting) % 7 === 6

const all = Array.from({ length: WORDINGS * ORDERS * NESTING_COUNT }, (_, index) => {
  const words = index % WORDINGS
  const order = Math.floor(index / WORDINGS) % ORDERS
  const nesting = Math.floor(index / (WORDINGS * ORDERS))
  const plan: LayoutPlan = {
    layout: layoutOf(words, order, nesting),
    sections: ((words + order) % 2) as 0 | 1,
    name: `${words}${order}${nesting}`,
  }
  return { plan, isUnseen: isUnseenLayout(words, order, nesting) }
})

export const TRAINING_LAYOUTS: readonly LayoutPlan[] = all.filter(({ isUnseen }) => !isUnseen).map(({ plan }) => plan)
export const UNSEEN_LAYOUTS: readonly LayoutPlan[] = all.filter(({ isUnseen }) => isUnseen).map(({ plan }) => plan)

/** The plan with the layout's combination of words, order and More menu, wherever the dock is. */
function planLike({ words, order, nested }: Layout, plans: readonly LayoutPlan[]): LayoutPlan | undefined {
  return plans.find(
    ({ layout }) =>
      layout.words === words &&
      layout.order === order &&
      layout.nested.length === nested.length &&
      layout.nested.every((button) => nested.includes(button)),
  )
}

/** Whether only `ood` tasks have this combination of words, order and More menu. */
export const isUnseen = (layout: Layout): boolean => planLike(layout, UNSEEN_LAYOUTS) !== undefined

/** Whether only `ood` tasks have this pair of object and target: about 15 % of all pairs. */
export function isHeldOutPair(object: string, target: string): boolean {
  return hashOf('held-out pair', object, target) % 100 < 15
}

/** Whether only `id` tasks have this combination: about 12 %. */
export function isHeldOutCombination(layout: string, template: string, object: string, target: string): boolean {
  return hashOf('held-out task', layout, template, object, target) % 100 < 12
}

/** Whether only `id` tasks are such a task in such a layout. No split draws tasks in a layout that rewrites have made. */
export function isOnlyInId(layout: Layout, template: string, object: string, target: string): boolean {
  const plan = planLike(layout, TRAINING_LAYOUTS)
  return plan !== undefined && isHeldOutCombination(plan.name, template, object, target)
}

/** Whether a task may be drawn for the split, given its pair and whether its template is one of `ood` alone. */
export function belongsTo(
  split: Split,
  layout: string,
  {
    template,
    object,
    target,
    isOodTemplate,
  }: { template: string; object: string; target: string; isOodTemplate: boolean },
): boolean {
  if (split === 'ood') return isOodTemplate || isHeldOutPair(object, target)
  if (isOodTemplate || isHeldOutPair(object, target)) return false
  return isHeldOutCombination(layout, template, object, target) === (split === 'id')
}
