/** The title of the tab, which shows the progress of a run. */
import type { RunView } from '../../runs/fold.ts'
import { heldOutMetric } from '../../runs/held-out.ts'
import { capital, percent } from '../kit/format.ts'
import { runPlace } from '../run/run-label.ts'

const NAME = 'RLAnything Playground'

/** The view is null if no run is open. */
export function documentTitle(view: RunView | null): string {
  if (view === null) return NAME
  const accuracy = view
    .series(heldOutMetric('eval/id/acc', (name) => view.series(name).values.length > 0))
    .values.at(-1)
  const parts = [capital(runPlace(view))]
  if (accuracy !== undefined) parts.push(`${percent(accuracy)} held out`)
  return `${parts.join(', ')} · ${NAME}`
}
