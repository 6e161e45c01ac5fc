/**
 * Demonstrations of the desktop's roles, for supervised training of tiny models. The demonstrator is the expert with a trembling hand,
 * whose slips are those of the field: clicks on the wrong thing, typing something else, `done` too early or without saving, `fail` at
 * once.
 */
import type { DemonstratedStep, Demonstration, Move } from '../../plain/demonstration.ts'
import { chance, pick, type Random } from '../../random.ts'
import { elementsOf } from '../engine/elements.ts'
import type { DesktopGame } from '../engine/game.ts'
import { openingText } from '../engine/observations.ts'
import { cloneState, startGame, type DesktopState } from '../engine/state.ts'
import { step } from '../engine/step.ts'
import { distanceToGoal } from '../planning/distance.ts'
import { decide } from '../planning/expert.ts'
import { stepLabel, stillMissing } from '../planning/step-label.ts'
import { critique, judgedStep, type JudgedStep } from './critiques.ts'

interface DemonstratorOptions {
  /** Probability of a slip at each step, in [0, 1]. */
  slip: number
  maxSteps: number
}

/** Share of slips that end the episode. */
const ENDINGS = 0.25
const SLIPPED_TEXTS = ['red wagon', 'tree.png', 'see you', '7', 'Ann']

export function demonstrate(
  game: DesktopGame,
  { slip, maxSteps }: DemonstratorOptions,
  random: Random,
): Demonstration<JudgedStep> {
  const state = startGame(game, { stepLimit: maxSteps })
  return play(state, () => {
    const wise = decide(state, random)
    const isSlip = chance(random, slip)
    return { thought: thoughtOf(state, wise), command: isSlip ? slipped(state, random) : wise, isSlip }
  })
}

/** Repeats the moves of an episode, to know what a critic knows about each. */
export function replay(game: DesktopGame, moves: readonly Move[], maxSteps: number): Demonstration<JudgedStep> {
  const left = [...moves]
  return play(startGame(game, { stepLimit: maxSteps }), () => left.shift())
}

/** Plays until the task is over or `choose` has no more moves. */
function play(state: DesktopState, choose: () => (Move & { isSlip?: boolean }) | undefined): Demonstration<JudgedStep> {
  const opening = openingText(state, state.game.instruction)
  const steps: DemonstratedStep<JudgedStep>[] = []
  let distance = distanceToGoal(state)
  while (!state.done) {
    const move = choose()
    if (!move) break
    const before = cloneState(state)
    const { observation, accepted } = step(state, move.command)
    const after = distanceToGoal(state)
    const facts = judgedStep(before, move.command, state, accepted)
    steps.push({ ...move, observation, trueLabel: stepLabel(before, state, distance, after), facts })
    distance = after
  }
  return { opening, steps, won: state.won }
}

/** The subgoal in two words: "find tree", "rename tree", "goal met". */
function thoughtOf(state: DesktopState, wise: string): string {
  if (wise === 'done') return 'goal met'
  if (wise === 'fail') return 'not possible'
  const { wish, pair } = state.game
  const verb = stillMissing(state).length > 0 || state.game.evidence ? 'find' : wish.template.split('-')[0]!
  return `${verb} ${pair[0]}`
}

function slipped(state: DesktopState, random: Random): string {
  if (chance(random, ENDINGS)) return chance(random, 0.7) ? 'done' : 'fail'
  if (chance(random, 0.1)) return `type ${pick(random, SLIPPED_TEXTS)}`
  return `click ${pick(random, elementsOf(state)).name}`
}

/** A critic's judgement of a demonstrated step, which is always right. */
export function demonstrateJudgement({ facts, trueLabel }: DemonstratedStep<JudgedStep>): {
  reasoning: string
  score: 1 | -1
} {
  return { reasoning: critique(facts, trueLabel), score: trueLabel }
}
