/** Training data of the household's policy and reward model: demonstrations and real play, as pieces of their prompts. */
import { demonstrate, demonstrateJudgement, replay } from '../../worlds/household/roles/demonstrations.ts'
import type { JudgedStep } from '../../worlds/household/roles/critiques.ts'
import type { DemonstratedStep, Demonstration } from '../../worlds/plain/demonstration.ts'
import { misreadGoal } from '../../worlds/household/roles/misread-goals.ts'
import { nothingHappens } from '../../worlds/household/engine/observations.ts'
import type { HouseholdGame, TaskType } from '../../worlds/household/engine/game.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { chance, seededRandom, unit, type Random } from '../../worlds/random.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import type { Piece } from '../demonstration-corpus.ts'
import { judgedLine, plainForm, policyLine, type EpisodeForm } from '../plain-lines.ts'
import type { PlayedGame } from '../played-games.ts'

/** Seeds of each corpus' own games; the next seed's games start this far behind. */
const POLICY_GAMES = 5_000_000
const JUDGED_GAMES = 7_000_000
const SEED_DISTANCE = 1_000_003

export interface PolicyRecipe {
  /** Task types of most games, and of the others. */
  common: readonly TaskType[]
  rare: readonly TaskType[]
  /** Share of games with one of the rare types. */
  rareShare: number
  /** Share of random commands in the demonstrations. */
  slip: number
  maxSteps: number
  /** Share of episodes whose instruction has a hint. */
  hints: number
}

export interface JudgementRecipe {
  /** Share of games that policies played. The others are demonstrations, and all below is about these. */
  playedShare: number
  /** The share of slips is drawn uniformly from this range. */
  slips: readonly [number, number]
  /** Share of demonstrators who misread the goal. */
  misread: number
  maxSteps: number
  hints: number
  /** Share of refused commands that are judged: they are many, and easy. */
  judgedRefusals: number
}

const PLAIN = plainForm(householdFormats)

/** Episode `index` of the policy's corpus. */
export function policyPieces(
  recipe: PolicyRecipe,
  seed: number,
  index: number,
  { formats, spelling }: EpisodeForm = PLAIN,
): Piece[] {
  const random = seededRandom('policy corpus', seed, index)
  const { common, rare, rareShare, slip, maxSteps, hints } = recipe
  const taskTypes = chance(random, rareShare) ? rare : common
  const game = trainingGame(POLICY_GAMES, seed, index, taskTypes)
  const withHint = chance(random, hints)
  const episode = demonstrate(game, { slip, maxSteps, withHint }, random)
  return policyLine(formats, episode, undefined, spelling)
}

/** Episode `index` of the reward model's corpus: a transcript with judgements of its steps. */
export function judgedPieces(
  recipe: JudgementRecipe,
  played: readonly PlayedGame<HouseholdGame>[],
  seed: number,
  index: number,
  { formats, spelling }: EpisodeForm = PLAIN,
): Piece[] {
  const random = seededRandom('judge', seed, index)
  const isPlayed = chance(random, recipe.playedShare)
  const episode = isPlayed
    ? replayed(played[index % played.length]!, recipe, random)
    : imperfectDemonstration(recipe, seed, index, random)
  const judge = (step: DemonstratedStep<JudgedStep>) => {
    // An unused draw: the shipped weights were made with it.
    unit(random)
    return !step.observation.includes(nothingHappens) || chance(random, recipe.judgedRefusals)
      ? demonstrateJudgement(step)
      : null
  }
  return judgedLine(formats, episode, judge, spelling)
}

function replayed(
  { game, moves }: PlayedGame<HouseholdGame>,
  { maxSteps }: JudgementRecipe,
  random: Random,
): Demonstration<JudgedStep> {
  return replay(game, moves, maxSteps, random)
}

function imperfectDemonstration(
  recipe: JudgementRecipe,
  seed: number,
  index: number,
  random: Random,
): Demonstration<JudgedStep> {
  const { slips, misread, maxSteps, hints } = recipe
  const game = trainingGame(JUDGED_GAMES, seed, index)
  const slip = slips[0] + (slips[1] - slips[0]) * unit(random)
  const withHint = chance(random, hints)
  const believed = chance(random, misread) ? misreadGoal(game, random) : undefined
  return demonstrate(game, { slip, maxSteps, withHint, believed }, random)
}

function trainingGame(first: number, seed: number, index: number, taskTypes?: readonly TaskType[]) {
  return generateGame({ seed: first + seed * SEED_DISTANCE + index, split: 'train', sceneSize: 'compact', taskTypes })
}
