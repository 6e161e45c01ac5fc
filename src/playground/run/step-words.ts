/** A step of a group of rollouts in words. */
import type { Score } from '../../method/ports.ts'
import type { BatchGroup } from '../../runs/batch.ts'
import { counted, signed } from '../kit/format.ts'

/** The command, or the whole response if it has none. */
export function commandOf(group: Pick<BatchGroup, 'episodes'>, trajectory: number, step: number): string {
  const { command, response } = group.episodes[trajectory]!.episode.steps[step]!
  return command || response.trim()
}

/** "2 commands to the goal"; a negative distance is none. Null where the world does not know it. */
export function distanceWords(distance: number | null): string | null {
  if (distance === null) return null
  if (distance < 0) return 'the goal is out of reach'
  return distance === 0 ? 'goal reached' : `${counted(distance, 'command')} to the goal`
}

/** "votes −1 −1 +1"; many are counted. */
export function votesWords(votes: readonly Score[]): string {
  if (votes.length === 0) return 'not judged'
  if (votes.length <= 5) return `votes ${votes.map((vote) => signed(vote, 0)).join(' ')}`
  return `${votes.filter((vote) => vote === 1).length} votes of +1 and ${votes.filter((vote) => vote === -1).length} of −1`
}
