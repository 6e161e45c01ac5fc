/** Training data of the desktop's policy and reward model: demonstrations and real play, as pieces of their prompts. */
import type { DesktopGame } from '../../worlds/desktop/engine/game.ts'
import type { Layout } from '../../worlds/desktop/engine/layout.ts'
import { nothingHappens } from '../../worlds/desktop/engine/observations.ts'
import { generateTask } from '../../worlds/desktop/generator/generate-task.ts'
import { composeGame } from '../../worlds/desktop/generator/templates.ts'
import type { JudgedStep } from '../../worlds/desktop/roles/critiques.ts'
import { demonstrate, demonstrateJudgement, replay } from '../../worlds/desktop/roles/demonstrations.ts'
import type { DemonstratedStep } from '../../worlds/plain/demonstration.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { chance, integer, seededRandom, unit, type Random } from '../../worlds/random.ts'
import type { Piece } from '../demonstration-corpus.ts'
import { judgedLine, plainForm, policyLine, type EpisodeForm } from '../plain-lines.ts'
import type { PlayedGame } from '../played-games.ts'

/** Seeds of each corpus' own games; the next seed's games start this far behind. */
const POLICY_GAMES = 5_000_000
const JUDGED_GAMES = 7_000_000
const SEED_DISTANCE = 1_000_003

const FAMILIAR: readonly Layout['words'][] = [0]
const UNFAMILIAR: readonly Layout['words'][] = [1, 2]

/** How the tasks of demonstrations differ from generated ones, as rewritten tasks do. */
interface Variations {
  /** Share of tasks with a hint on where the missing thing is, if there is one to give. */
  hints: number
  /** Share of tasks with an application in front at the start. */
  fronts: number
}

export interface PolicyRecipe extends Variations {
  templates: readonly string[]
  /** Templates of a share of the tasks, in place of `templates`. */
  rare?: { templates: readonly string[]; share: number }
  /** Share of tasks whose buttons have the first of their three words, the others the second or third; without it, any layout. */
  familiarWords?: number
  /** Share of slips in the demonstrations. */
  slip: number
  /** Whether the policy also learns to make slips, or only to continue after them. */
  imitatesSlips: boolean
  maxSteps: number
}

export interface JudgementRecipe extends Variations {
  templates: readonly string[]
  /** Share of tasks that policies played. The others are demonstrations, and all below is about these. */
  playedShare: number
  /** The share of slips is drawn uniformly from this range. */
  slips: readonly [number, number]
  maxSteps: number
  /** Share of refused commands that are judged: they are many, and easy. */
  judgedRefusals: number
}

const PLAIN = plainForm(desktopFormats)

/** Episode `index` of the policy's corpus. */
export function policyPieces(
  recipe: PolicyRecipe,
  seed: number,
  index: number,
  { formats, spelling }: EpisodeForm = PLAIN,
): Piece[] {
  const random = seededRandom('desktop policy corpus', seed, index)
  const { rare, familiarWords, slip, imitatesSlips, maxSteps } = recipe
  const templates = rare && chance(random, rare.share) ? rare.templates : recipe.templates
  const wordings = familiarWords === undefined ? undefined : chance(random, familiarWords) ? FAMILIAR : UNFAMILIAR
  const task = trainingTask(POLICY_GAMES + seed * SEED_DISTANCE + index, templates, wordings)
  const demonstration = demonstrate(varied(task, recipe, random), { slip, maxSteps }, random)
  return policyLine(formats, demonstration, { imitatesSlips }, spelling)
}

/** Episode `index` of the reward model's corpus: a transcript with judgements of its steps. */
export function judgedPieces(
  recipe: JudgementRecipe,
  played: readonly PlayedGame<DesktopGame>[],
  seed: number,
  index: number,
  { formats, spelling }: EpisodeForm = PLAIN,
): Piece[] {
  const random = seededRandom('desktop judge', seed, index)
  const episode = chance(random, recipe.playedShare)
    ? replayed(played[index % played.length]!, recipe.maxSteps)
    : imperfectDemonstration(recipe, seed, index, random)
  const judge = (step: DemonstratedStep<JudgedStep>) =>
    !step.observation.startsWith(nothingHappens) || chance(random, recipe.judgedRefusals)
      ? demonstrateJudgement(step)
      : null
  return judgedLine(formats, episode, judge, spelling)
}

const replayed = ({ game, moves }: PlayedGame<DesktopGame>, maxSteps: number) => replay(game, moves, maxSteps)

function imperfectDemonstration(recipe: JudgementRecipe, seed: number, index: number, random: Random) {
  const { templates, slips, maxSteps } = recipe
  const game = varied(trainingTask(JUDGED_GAMES + seed * SEED_DISTANCE + index, templates), recipe, random)
  const slip = slips[0] + (slips[1] - slips[0]) * unit(random)
  return demonstrate(game, { slip, maxSteps }, random)
}

/** In training layouts and with training pairs, also of templates that a run meets in `ood` alone. */
export function trainingTask(
  seed: number,
  templates?: readonly string[],
  wordings?: readonly Layout['words'][],
): DesktopGame {
  return generateTask({ seed, split: 'train', templates, wordings, allowsOodTemplates: true })
}

export function varied(game: DesktopGame, { hints, fronts }: Variations, random: Random): DesktopGame {
  const isHinted = chance(random, hints)
  const front = chance(random, fronts) ? integer(random, 0, game.pages.length - 1) : game.front
  return composeGame({ ...game, isHinted, front }) ?? game
}
