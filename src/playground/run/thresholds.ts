/**
 * What other thresholds would have done: which tasks α_low and α_high would send to the author at their last measured
 * accuracy, and which measured rewrites they would have accepted. The rules are the loop's own.
 */
import { decideRewrite, rewriteDirection, type BandSettings } from '../../method/adaptation.ts'
import type { RunView } from '../../runs/fold.ts'
import type { Direction } from '../../method/ports.ts'
import { counted, percent } from '../kit/format.ts'
import { settingsOf } from './trajectories.ts'

const BINS = 20

export interface MeasuredTask {
  taskId: string
  instruction: string
  accuracy: number
  iteration: number
  /** How it would be rewritten at this accuracy; null if not at all. */
  direction: Direction | null
  /** The same under the thresholds of the run. */
  directionNow: Direction | null
}

interface HistogramBin {
  /** Contains accuracies in [from, to); the last bin also contains `to`. */
  from: number
  to: number
  count: number
}

/** Measured active tasks, lowest accuracy first. */
export function measuredTasks(view: RunView, band: BandSettings): MeasuredTask[] {
  const running = bandOf(view)
  const tasks: MeasuredTask[] = []
  for (const { task, history, status } of view.tasks.values()) {
    const latest = history.at(-1)
    if (status !== 'active' || !latest) continue
    const accuracy = latest.won / latest.played
    tasks.push({
      taskId: task.id,
      instruction: task.instruction,
      accuracy,
      iteration: latest.iteration,
      direction: rewriteDirection(accuracy, band),
      directionNow: running && rewriteDirection(accuracy, running),
    })
  }
  return tasks.sort((a, b) => a.accuracy - b.accuracy)
}

/** Which tasks the band sends to the author, by what would be asked, and which it leaves alone. */
export function byDirection(tasks: readonly MeasuredTask[]): Record<Direction | 'kept', MeasuredTask[]> {
  const of = (wanted: Direction | null) => tasks.filter(({ direction }) => direction === wanted)
  return { easier: of('easier'), harder: of('harder'), kept: of(null) }
}

export function accuracyHistogram(tasks: readonly MeasuredTask[]): HistogramBin[] {
  const counts = Array.from({ length: BINS }, () => 0)
  for (const { accuracy } of tasks) counts[Math.min(BINS - 1, Math.floor(accuracy * BINS + 1e-9))]!++
  return counts.map((count, index) => ({ from: index / BINS, to: (index + 1) / BINS, count }))
}

/** Describes the histogram: how many tasks are in, below and above the band, and the fullest bin. */
export function summariseHistogram(tasks: readonly MeasuredTask[], band: BandSettings, noun: string): string {
  const bins = accuracyHistogram(tasks)
  const most = bins.reduce((best, bin) => (bin.count > best.count ? bin : best))
  const { easier, harder, kept } = byDirection(tasks)
  return [
    `Last measured accuracy of ${counted(tasks.length, noun)}:`,
    `${easier.length} up to α_low = ${percent(band.alphaLow)}, ${kept.length} inside the band,`,
    `${harder.length} from α_high = ${percent(band.alphaHigh)} on;`,
    `most, ${most.count}, from ${percent(most.from)} to ${percent(most.to)}.`,
  ].join(' ')
}

/** The position of a bin relative to the band. A threshold cuts a bin that has tasks on both sides of it. */
export function placeOfBin({ from, to }: HistogramBin, { alphaLow, alphaHigh }: BandSettings): string {
  const cuts = (alpha: number) => from < alpha && alpha < to
  if (cuts(alphaLow)) return 'cut by α_low'
  if (cuts(alphaHigh)) return 'cut by α_high'
  return to <= alphaLow ? 'below' : from >= alphaHigh ? 'above' : 'inside'
}

type ProposalFate = 'accepted' | 'rejected' | 'not proposed'

interface RevisitedProposal {
  proposalId: string
  iteration: number
  instruction: string
  direction: Direction
  accuracyBefore: number
  accuracyAfter: number
  was: ProposalFate
  wouldBe: ProposalFate
  rule: string
}

/** Measured rewrites, newest first. A task inside the band would not have been rewritten. */
export function revisitedProposals(view: RunView, band: BandSettings): RevisitedProposal[] {
  const revisited: RevisitedProposal[] = []
  for (const { proposal, iteration, resolution } of view.rewrites.values()) {
    if (!resolution) continue
    const { direction, accuracyBefore, accuracyAfter, accepted } = resolution
    const decision = decideRewrite(direction, accuracyBefore, accuracyAfter, band)
    const isProposed = rewriteDirection(proposal.accuracy, band) === direction
    revisited.push({
      proposalId: proposal.proposalId,
      iteration,
      instruction: proposal.candidate?.instruction ?? proposal.taskId,
      direction,
      accuracyBefore,
      accuracyAfter,
      was: accepted ? 'accepted' : 'rejected',
      wouldBe: !isProposed ? 'not proposed' : decision.accepted ? 'accepted' : 'rejected',
      rule: isProposed ? decision.rule : 'acc(q) is inside (α_low, α_high)',
    })
  }
  return revisited.reverse()
}

/** Smallest width of the band, and the step of its handles. */
export const BAND_STEP = 0.01

/** The band with another α_low, which stays below α_high. */
export function bandWithLow(band: BandSettings, alphaLow: number): BandSettings {
  return { ...band, alphaLow: Math.min(alphaLow, Number((band.alphaHigh - BAND_STEP).toFixed(2))) }
}

/** The band with another α_high, which stays above α_low. */
export function bandWithHigh(band: BandSettings, alphaHigh: number): BandSettings {
  return { ...band, alphaHigh: Math.max(alphaHigh, Number((band.alphaLow + BAND_STEP).toFixed(2))) }
}

/** The thresholds of the newest iteration; null before the first. */
export function bandOf(view: RunView): BandSettings | null {
  return view.current ? settingsOf(view, view.current.iteration) : view.settings
}
