/**
 * What moves along the arrows of the loop right now: single outcomes, votes and advantages of the last event on each arrow,
 * not means over the iteration.
 */
import type { Phase } from '../../../method/events.ts'
import { meanScore } from '../../../method/feedback.ts'
import type { EpisodeView, RunView } from '../../../runs/fold.ts'
import { percent, signed } from '../../kit/format.ts'
import { activeFlows } from './loop-flows.ts'
import type { FlowId } from './loop-symbols.ts'

interface Packet {
  id: FlowId
  text: string
}

/** One packet for each active arrow that has a value. */
export function packetsOf(view: RunView, phase: Phase | null): Packet[] {
  const iteration = view.current
  const settings = view.settings
  if (!iteration || !settings) return []
  const last = iteration.episodes.at(-1)
  const judged = iteration.episodes.findLast(({ votes }) => votes !== null)
  const valued = iteration.episodes.findLast(({ feedback }) => feedback !== null)
  const written = iteration.writtenTests.at(-1)
  const text: Record<FlowId, () => string | null> = {
    actions: () => (last ? commandOf(last) : null),
    tasks: () => (iteration.proposed.length > 0 ? 'q′' : 'q'),
    outcome: () => (last ? signed(last.episode.outcome, 0) : null),
    steps: () => (last ? `${last.episode.steps.length} × ${settings.evaluationsPerStep}` : null),
    score: () => {
      const votes = judged?.votes?.at(-1)
      if (votes) return signed(meanScore(votes.map(({ score }) => score), settings.profile), 1) // prettier-ignore
      const results = written?.written.results[0]
      if (!results) return null
      return `${results.filter((result) => result?.passed).length}/${results.length}`
    },
    advantage: () => signedOrNull(valued?.policyAdvantages?.findLast((value) => value !== null)),
    consistency: () =>
      signedOrNull(
        written
          ? written.advantages?.findLast((value) => value !== null)
          : valued?.rewardAdvantages?.flat().findLast((value) => value !== null),
      ),
    critic: () => {
      const proposal = iteration.proposed.at(-1)
      return proposal ? percent(proposal.accuracy) : null
    },
  }
  return activeFlows(phase).flatMap((id) => {
    const carried = text[id]()
    return carried === null ? [] : [{ id, text: carried }]
  })
}

const MOST = 16

function commandOf({ episode }: EpisodeView): string | null {
  const command = episode.steps.at(-1)?.command.split('\n')[0]
  if (!command) return null
  return command.length <= MOST ? command : `${command.slice(0, MOST - 1)}…`
}

function signedOrNull(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : signed(value, 1)
}
