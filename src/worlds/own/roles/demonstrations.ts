/**
 * Demonstrations of a world's roles, for supervised training of small models. The demonstrator is the world's expert with a
 * trembling hand: a slip is one of the commands that the expert gives elsewhere.
 */
import type { DemonstratedStep, Demonstration, Move } from '../../plain/demonstration.ts'
import { chance, pick, type Random } from '../../random.ts'
import type { Data, OwnGuest } from '../guest.ts'
import { distanceOf, labelOf } from '../insight.ts'

/** What a critic knows about a step: why it was good, and why it was bad. */
export interface JudgedStep {
  good: string
  bad: string
}

interface DemonstratorOptions {
  /** Probability of a slip at each step, in [0, 1]. */
  slip: number
  maxSteps: number
  /** Commands for slips. */
  commands: readonly string[]
}

/** Experts often have nothing to say but the command. */
const NO_THOUGHT = 'next'

export function demonstrate(
  guest: OwnGuest,
  task: Data,
  { slip, maxSteps, commands }: DemonstratorOptions,
  random: Random,
): Demonstration<JudgedStep> {
  return play(guest, task, maxSteps, (state) => {
    const { thought, command } = guest.expert(state)
    return { thought: thought || NO_THOUGHT, command: chance(random, slip) ? pick(random, commands) : command }
  })
}

/** Repeats the moves of an episode, to know what a critic knows about each. */
export function replay(
  guest: OwnGuest,
  task: Data,
  moves: readonly Move[],
  maxSteps: number,
): Demonstration<JudgedStep> {
  const left = [...moves]
  return play(guest, task, maxSteps, () => left.shift())
}

/** Plays until the episode is over or `choose` has no more moves. */
function play(
  guest: OwnGuest,
  task: Data,
  maxSteps: number,
  choose: (state: Data) => Move | undefined,
): Demonstration<JudgedStep> {
  const start = guest.reset(task)
  const steps: DemonstratedStep<JudgedStep>[] = []
  let state = start.state
  let distance = distanceOf(guest, state)
  let outcome = guest.outcome(state)
  while (outcome === 'open' && steps.length < maxSteps) {
    const move = choose(state)
    if (!move) break
    const { state: after, text: observation } = guest.step(state, move.command)
    const distanceAfter = distanceOf(guest, after)
    outcome = guest.outcome(after)
    const taken = { before: state, command: move.command, after, distanceBefore: distance, distanceAfter }
    const trueLabel = labelOf(guest, taken)
    if (trueLabel === null) throw new Error('A world with an expert labels every step.')
    const isIdle = JSON.stringify(after) === JSON.stringify(state)
    const facts = reasonsFor(guest, state, move.command, after, isIdle ? 'nothing' : outcome)
    steps.push({ ...move, observation, trueLabel, facts })
    state = after
    distance = distanceAfter
  }
  return { opening: start.text, steps, won: outcome === 'won' }
}

/** Either score has a reason: a critic who is wrong has one, too. */
function reasonsFor(
  guest: OwnGuest,
  before: Data,
  command: string,
  after: Data,
  became: 'nothing' | 'open' | 'won' | 'lost',
): JudgedStep {
  if (guest.parts.has('reason')) {
    return { good: guest.reason(before, command, after, 1), bad: guest.reason(before, command, after, -1) }
  }
  const good = became === 'won' ? 'the goal is met' : 'came closer'
  const bad = became === 'nothing' ? 'nothing changed' : became === 'lost' ? 'lost the game' : 'came no closer'
  return { good, bad }
}

/** The judgement of a demonstrated step, which is always right. */
export function demonstrateJudgement({ facts, trueLabel }: DemonstratedStep<JudgedStep>): {
  reasoning: string
  score: 1 | -1
} {
  return { reasoning: trueLabel === 1 ? facts.good : facts.bad, score: trueLabel }
}
