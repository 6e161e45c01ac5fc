/** The title of the tab: how far a run is, for whoever is in another one. */
import type { RunView } from '../../runs/fold.ts'
import { percent } from '../kit/format.ts'

const NAME = 'RLAnything Playground'

/** Null where no run is under way. */
export function documentTitle(view: RunView | null): string {
  if (view === null) return NAME
  const accuracy = view.series('eval/id/acc').values.at(-1)
  const parts = [`Iteration ${view.current?.iteration ?? 1}`]
  if (accuracy !== undefined) parts.push(`${percent(accuracy)} held out`)
  return `${parts.join(', ')} · ${NAME}`
}
