/**
 * What the reward model said most often, for the author who rewrites the task (RLAnything: a critic summarised from the
 * reward model's reasoning r_ij). An easier task is wanted where trajectories failed, so the reasons of -1 on failed
 * trajectories are counted; a harder one where they succeeded, so the reasons of +1 on successful ones.
 *
 *     nothing happened x12; place seen before x7
 *
 * The released AlfWorld code has the author model summarise failed trajectories and never shows it the reasoning
 * (alfworld_rl_rollout.py:1354-1435); we follow the paper.
 */
import type { Evaluation } from './events.ts'
import type { Direction, Outcome } from './ports.ts'

export const CRITIC_SUMMARY_MAX_LENGTH = 240
/** A longer reason is cut here: a language model's reasoning runs to paragraphs. */
export const CRITIC_REASON_MAX_LENGTH = 100

/** Reasons by falling count, equal counts by their text; '' when there are none. Does not depend on the order of input. */
export function criticSummary(
  trajectories: readonly { outcome: Outcome; votes: readonly (readonly Evaluation[])[] }[],
  direction: Direction,
  maxLength = CRITIC_SUMMARY_MAX_LENGTH,
): string {
  const side = direction === 'easier' ? -1 : 1
  const counts = new Map<string, number>()
  for (const { outcome, votes } of trajectories) {
    if (outcome !== side) continue
    for (const { score, reasoning } of votes.flat()) {
      if (score !== side) continue
      const reason = compactReason(reasoning)
      if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  }
  return countedReasons(counts, maxLength)
}

/** "reason x12; reason x7", as many as fit. */
export function countedReasons(
  counts: ReadonlyMap<string, number>,
  maxLength: number = CRITIC_SUMMARY_MAX_LENGTH,
): string {
  const entries = [...counts]
    .sort(
      ([reasonA, countA], [reasonB, countB]) => countB - countA || (reasonA < reasonB ? -1 : reasonA > reasonB ? 1 : 0),
    )
    .map(([reason, count]) => `${reason} x${count}`)
  let summary = ''
  for (const entry of entries) {
    const longer = summary === '' ? entry : `${summary}; ${entry}`
    if (longer.length > maxLength) break
    summary = longer
  }
  return summary
}

/** One line, single spaces, no full stop at the end, and no ';', which separates the reasons. */
export function compactReason(reasoning: string, maxLength: number = CRITIC_REASON_MAX_LENGTH): string {
  const line = reasoning
    .replaceAll(';', ',')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.,\s]+$/u, '')
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  const lastSpace = cut.lastIndexOf(' ')
  return `${cut.slice(0, lastSpace > 0 ? lastSpace : cut.length)}…`
}
