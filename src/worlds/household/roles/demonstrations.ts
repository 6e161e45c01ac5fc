/**
 * Demonstrations of the household roles, for supervised training of the tiny models.
 *
 * The demonstrator is the expert with slips: with probability `slip` it plays a random admissible command, or one that is not
 * admissible. One who misread the instruction pursues another goal instead (misread-goals.ts). A replay is a game as somebody
 * else played it.
 */
import type { DemonstratedStep, Demonstration, Move } from '../../plain/demonstration.ts'
import { admissibleCommands } from '../engine/commands.ts'
import { critique, type JudgedStep } from './critiques.ts'
import { step, type StepOutcome } from '../engine/step.ts'
import { decide, type Subgoal } from '../planning/expert.ts'
import { Knowledge } from '../planning/knowledge.ts'
import { openingText } from '../engine/observations.ts'
import { distanceToGoal } from '../planning/plan.ts'
import { chance, pick, type Random } from '../../random.ts'
import { cloneState, startGame, type GameState } from '../engine/state.ts'
import { stepLabel } from '../planning/step-label.ts'
import { nameOf, type Goal, type HouseholdGame } from '../engine/game.ts'

interface DemonstratorOptions {
  /** Probability of a slip at each step, in [0, 1]. */
  slip: number
  maxSteps: number
  /** Adds to the instruction a true hint on where one target is. */
  withHint?: boolean
  /** The goal of a demonstrator who misread the instruction. */
  believed?: Goal
}

/** Probability of a slip once the believed goal is reached: the demonstrator has nothing left to do. */
const WANDERING = 0.7

/** What a demonstrator assumes about the game. */
interface Mind {
  state: GameState
  knowledge: Knowledge
}

/** The subgoal in two or three words, without numbers: "find mug", "clean mug", "put mug". */
function thoughtOf(subgoal: Subgoal): string {
  const noun = (name: string) => name.replace(/ \d+$/, '')
  switch (subgoal.kind) {
    case 'find':
      return `find ${subgoal.noun}`
    case 'take':
      return `take ${noun(subgoal.object)}`
    case 'go-to-appliance':
    case 'treat':
      return `${subgoal.treatment} ${noun(subgoal.object)}`
    case 'go-to-receptacle':
    case 'put':
    case 'put-away':
      return `put ${noun(subgoal.object)}`
    case 'go-to-lamp':
    case 'use':
      return `use ${noun(subgoal.lamp)}`
    case 'stuck':
      return 'look around'
  }
}

export function demonstrate(
  game: HouseholdGame,
  options: DemonstratorOptions,
  random: Random,
): Demonstration<JudgedStep> {
  const { slip, maxSteps, withHint, believed } = options
  const actual = mindOf(game, maxSteps)
  const hint = withHint ? giveHint(game, actual.knowledge, random) : ''
  const imagined = believed && mindOf({ ...game, goal: believed }, maxSteps)
  return play(actual, hint, () => {
    const isMisled = imagined !== undefined && !imagined.state.done
    const mind = isMisled ? imagined : actual
    const { command: wise, subgoal } = decide(mind.state, mind.knowledge, random)
    const isSlip = chance(random, imagined && !isMisled ? WANDERING : slip)
    const command = isSlip ? slippedCommand(game, admissibleCommands(actual.state), random) : wise
    if (isMisled) apply(command, imagined)
    return { thought: thoughtOf(subgoal), command }
  })
}

/** Repeats the moves of an episode, to know what a critic knows about each. */
export function replay(
  game: HouseholdGame,
  moves: readonly Move[],
  maxSteps: number,
  random: Random,
): Demonstration<JudgedStep> {
  const actual = mindOf(game, maxSteps)
  let next = 0
  return play(actual, '', () => {
    const move = moves[next++]
    // The expert does not play here, but its draws are part of the random numbers that made the shipped weights.
    if (move) decide(actual.state, actual.knowledge, random)
    return move
  })
}

function mindOf(game: HouseholdGame, stepLimit: number): Mind {
  return { state: startGame(game, { stepLimit }), knowledge: new Knowledge(game) }
}

function apply(command: string, { state, knowledge }: Mind): StepOutcome {
  const outcome = step(state, command)
  knowledge.update(command, outcome.accepted, state)
  return outcome
}

/** Plays until the game is over or `choose` has no more moves. */
function play(mind: Mind, hint: string, choose: () => Move | undefined): Demonstration<JudgedStep> {
  const { state, knowledge } = mind
  const { game } = state
  const opening = openingText(state) + hint
  const steps: DemonstratedStep<JudgedStep>[] = []
  while (!state.done) {
    const move = choose()
    if (!move) break
    const { thought, command } = move
    const before = cloneState(state)
    const known = knowledge.clone(game)
    const { observation, won } = apply(command, mind)
    const named = /(?:to|open|close|with|examine|from) (\S+ \d+)$/.exec(command)?.[1]
    const receptacle = game.receptacles.findIndex((r) => `${r.noun} ${r.number}` === named)
    const isKnownPlace = command.startsWith('open ') ? known.examined[receptacle] === 1 : known.placed[receptacle] === 1
    steps.push({
      thought,
      command,
      observation,
      trueLabel: stepLabel(before, command, state, known, distanceToGoal(before), distanceToGoal(state)),
      facts: { command, observation, won, target: game.goal.object, isKnownPlace, isHolding: before.held >= 0 },
    })
  }
  return { opening, steps, won: state.won }
}

/** Writes a hint on where some target starts, and adds it to the knowledge; '' if every target is out of reach. */
function giveHint(game: HouseholdGame, knowledge: Knowledge, random: Random): string {
  const targets = game.objects.flatMap(({ type, in: receptacles }, object) =>
    type === game.goal.object ? receptacles.map((receptacle) => ({ object, receptacle })) : [],
  )
  if (targets.length === 0) return ''
  const { object, receptacle } = pick(random, targets)
  knowledge.tell(object, receptacle)
  return ` Hint: the ${nameOf(game.objects[object]!)} is in ${nameOf(game.receptacles[receptacle]!)}.`
}

/** Usually an admissible command, sometimes one that names another receptacle and may not be admissible. */
function slippedCommand(game: HouseholdGame, admissible: readonly string[], random: Random): string {
  const command = pick(
    random,
    admissible.filter((text) => text !== 'help'),
  )
  if (!chance(random, 0.2)) return command
  const receptacle = pick(random, game.receptacles)
  return command.replace(/\S+ \d+$/, `${receptacle.noun} ${receptacle.number}`)
}

/** A critic's judgement of a demonstrated step, which is always right. */
export function demonstrateJudgement({ facts, trueLabel }: DemonstratedStep<JudgedStep>): {
  reasoning: string
  score: 1 | -1
} {
  return { reasoning: critique(facts, trueLabel), score: trueLabel }
}
