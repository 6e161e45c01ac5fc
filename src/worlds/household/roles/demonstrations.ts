/**
 * Demonstrations of the household roles, for supervised training of the tiny models.
 *
 * The demonstrator is the expert with slips: with probability `slip` it plays a random admissible command, or one that is not
 * admissible. A model that imitates it knows how to solve tasks but often fails, like the paper's policies before
 * reinforcement learning.
 */
import { admissibleCommands } from '../engine/commands.ts'
import { critique, type JudgedStep } from './critiques.ts'
import { step } from '../engine/step.ts'
import { decide, type Subgoal } from '../planning/expert.ts'
import { Knowledge } from '../planning/knowledge.ts'
import { openingText } from '../engine/observations.ts'
import { distanceToGoal } from '../planning/plan.ts'
import { chance, pick, type Random } from '../../random.ts'
import { cloneState, startGame } from '../engine/state.ts'
import { stepLabel } from '../planning/step-label.ts'
import { nameOf, type HouseholdGame } from '../engine/game.ts'

interface DemonstratedStep {
  thought: string
  command: string
  observation: string
  trueLabel: 1 | -1
  /** The basis of a critique. */
  facts: JudgedStep
}

export interface Demonstration {
  opening: string
  steps: DemonstratedStep[]
  won: boolean
}

interface DemonstratorOptions {
  /** Probability of a slip at each step, in [0, 1]. */
  slip: number
  maxSteps: number
  /** Adds to the instruction a true hint on where one target is. */
  withHint?: boolean
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

export function demonstrate(game: HouseholdGame, options: DemonstratorOptions, random: Random): Demonstration {
  const { slip, maxSteps } = options
  const state = startGame(game, { stepLimit: maxSteps })
  const knowledge = new Knowledge(game)
  const steps: DemonstratedStep[] = []
  const hint = options.withHint ? giveHint(game, knowledge, random) : ''
  const opening = openingText(state) + hint
  while (!state.done) {
    const { command: wise, subgoal } = decide(state, knowledge, random)
    const command = chance(random, slip) ? slippedCommand(game, admissibleCommands(state), random) : wise
    const before = cloneState(state)
    const known = knowledge.clone(game)
    const { observation, won, accepted } = step(state, command)
    knowledge.update(command, accepted, state)
    const named = /(?:to|open|close|with|examine|from) (\S+ \d+)$/.exec(command)?.[1]
    const receptacle = game.receptacles.findIndex((r) => `${r.noun} ${r.number}` === named)
    const isKnownPlace = command.startsWith('open ') ? known.examined[receptacle] === 1 : known.placed[receptacle] === 1
    steps.push({
      thought: thoughtOf(subgoal),
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

export interface JudgementErrors {
  /** Probability of scoring a good step -1. */
  good: number
  /** Probability of scoring a bad step 1. */
  bad: number
}

/** A critic's judgement of a demonstrated step, sometimes wrong. */
export function demonstrateJudgement(
  judged: DemonstratedStep,
  errors: JudgementErrors,
  random: Random,
): { reasoning: string; score: 1 | -1 } {
  const isWrong = chance(random, judged.trueLabel === 1 ? errors.good : errors.bad)
  const score = isWrong ? (-judged.trueLabel as 1 | -1) : judged.trueLabel
  return { reasoning: critique(judged.facts, score), score }
}
