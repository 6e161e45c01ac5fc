/**
 * The rewrite of a run that shows best how tasks move: one that was accepted, of a task that all or none of the rollouts solved,
 * with a new accuracy near one half. Ties go to the earliest.
 */
import type { RewriteView, RunView } from './fold.ts'

export type AcceptedRewrite = RewriteView & { resolution: NonNullable<RewriteView['resolution']> }

/** Null if the run has accepted no rewrite. */
export function tellingRewrite(view: RunView): AcceptedRewrite | null {
  let best: AcceptedRewrite | null = null
  for (const rewrite of view.rewrites.values()) {
    if (!isAccepted(rewrite)) continue
    if (best === null || worth(rewrite) > worth(best)) best = rewrite
  }
  return best
}

const isAccepted = (rewrite: RewriteView): rewrite is AcceptedRewrite => rewrite.resolution?.accepted === true

/** At most 1/2: how far the old accuracy was from one half, less how far the new one is. */
function worth({ proposal, resolution }: AcceptedRewrite): number {
  return Math.abs(proposal.accuracy - 1 / 2) - Math.abs(resolution.accuracyAfter - 1 / 2)
}
