/**
 * Which of the reward model's reasonings r_ij a language model summarises for the author (critic-writing.ts): for an easier
 * task, reasons of -1 on failed trajectories; for a harder one, reasons of +1 on successful ones; one for each step.
 *
 * There may be thousands, so a few stand for all. Trajectories take turns. Each contributes the steps with the largest share of
 * votes that agree, as the released code names the steps that all votes reject (alfworld_rl_rollout.py:320-350); among equal
 * shares, trajectory k of n begins k/n of the way in, so that they contribute different moments.
 */
import type { Evaluation } from '../events.ts'
import type { CriticReasoning, Direction, Outcome } from '../ports.ts'

/** Most reasonings in a summary's prompt. */
export const MOST_REASONINGS = 12

/** In the order of rollouts and steps. No text is chosen twice. */
export function criticReasonings(
  trajectories: readonly { outcome: Outcome; votes: readonly (readonly Evaluation[])[] }[],
  direction: Direction,
  most = MOST_REASONINGS,
): CriticReasoning[] {
  const side = direction === 'easier' ? -1 : 1
  const reasoned = trajectories
    .map(({ outcome, votes }, rollout) => (outcome === side ? reasonedSteps(votes, side, rollout) : []))
    .filter((steps) => steps.length > 0)
  const queues = reasoned.map((steps, index) => ranked(steps, Math.floor((index * steps.length) / reasoned.length)))
  const chosen: CriticReasoning[] = []
  const texts = new Set<string>()
  for (let turn = 0; queues.some((queue) => turn < queue.length); turn++) {
    for (const queue of queues) {
      const next = queue[turn]
      if (!next || chosen.length === most || texts.has(next.text)) continue
      texts.add(next.text)
      chosen.push(next)
    }
  }
  return chosen.sort((a, b) => a.rollout - b.rollout || a.step - b.step)
}

function reasonedSteps(votes: readonly (readonly Evaluation[])[], side: 1 | -1, rollout: number): CriticReasoning[] {
  return votes.flatMap((ofStep, step) => {
    const agreeing = ofStep.filter(({ score }) => score === side)
    const text = agreeing.map(({ reasoning }) => reasoning.trim()).find((reasoning) => reasoning !== '')
    return text === undefined ? [] : [{ rollout, step, agreeing: agreeing.length, votes: ofStep.length, text }]
  })
}

/** By falling agreement; equal ones in their order, beginning at `start`. */
function ranked(steps: readonly CriticReasoning[], start: number): CriticReasoning[] {
  const share = ({ agreeing, votes }: CriticReasoning) => agreeing / votes
  return [...steps.slice(start), ...steps.slice(0, start)].sort((a, b) => share(b) - share(a))
}
