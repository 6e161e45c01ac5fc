/**
 * The reason that a critic gives for scoring one step +1 or -1.
 *
 * The reward model learns to write these reasons from demonstrations (src/pretraining), and the critic summary counts them.
 * Either score has a reason: demonstrated scores are right, but the vocabulary includes what a critic says who is wrong.
 */
import { nothingHappens } from '../engine/observations.ts'

export interface JudgedStep {
  command: string
  observation: string
  won: boolean
  /** Type of the goal's object ("mug"). */
  target: string
  /** Before this step, the agent had visited or opened the receptacle that the command names. */
  isKnownPlace: boolean
  isHolding: boolean
}

const WELL_DONE: Record<string, (step: JudgedStep) => string> = {
  go: (step) => {
    if (mentions(step.observation, step.target)) return `found the ${step.target}`
    return step.isHolding ? `went where the ${step.target} is needed` : 'searched a new place'
  },
  open: (step) => (mentions(step.observation, step.target) ? `found the ${step.target}` : 'opened a new place'),
  take: (step) => `took the needed ${step.target}`,
  move: (step) => `put the ${step.target} where it belongs`,
  clean: (step) => `cleaned the ${step.target} as asked`,
  heat: (step) => `heated the ${step.target} as asked`,
  cool: (step) => `cooled the ${step.target} as asked`,
  use: () => 'used the lamp as asked',
}

const BADLY_DONE: Record<string, (step: JudgedStep) => string> = {
  go: (step) => (step.isKnownPlace ? 'went to a place seen before' : 'went to a useless place'),
  open: () => 'opened a useless place',
  take: () => 'took a thing not needed',
  move: () => 'put a thing in a useless place',
  close: () => 'closed a place to no use',
  clean: () => 'used a tool to no use',
  heat: () => 'used a tool to no use',
  cool: () => 'used a tool to no use',
  use: () => 'used a tool to no use',
  slice: () => 'used a tool to no use',
}

const mentions = (text: string, noun: string) => text.includes(`a ${noun} `)

/** A critic's reason for this score. */
export function critique(step: JudgedStep, score: 1 | -1): string {
  const verb = step.command.split(' ', 1)[0]!
  if (score === 1) {
    if (step.won) return 'the goal is done'
    return WELL_DONE[verb]?.(step) ?? 'moved towards the goal'
  }
  if (step.observation.startsWith(nothingHappens)) return 'nothing happened'
  return BADLY_DONE[verb]?.(step) ?? 'looked around to no use'
}
