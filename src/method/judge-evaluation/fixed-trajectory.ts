/**
 * Held-out trajectories that never change, so that what they say about the reward model does not depend on the current policy.
 * Three policies of different strength have played each task once and for all. A world stores the texts that they wrote; its
 * environment replays these and gives observations, outcomes and exact labels.
 */
import type { Outcome, Task } from '../ports.ts'

export const STRENGTHS = ['weak', 'middling', 'strong'] as const
export type Strength = (typeof STRENGTHS)[number]

export interface FixedTrajectory {
  id: string
  split: 'id' | 'ood'
  strength: Strength
  task: Task
  /** What the policy wrote, and the command that the environment got. A program is one step. */
  steps: readonly { response: string; command: string }[]
  /** Steps that the episode may have; it may have ended earlier. */
  maxSteps: number
  /** What the replay must give: otherwise the trajectory belongs to another version of the world. */
  outcome: Outcome
  /** True labels of the steps as text, one sign a step: "+-+". */
  labels: string
}

/** "+" and "-" of each step. */
export function labelText(labels: readonly (1 | -1 | null)[]): string {
  return labels.map((label) => (label === 1 ? '+' : '-')).join('')
}
