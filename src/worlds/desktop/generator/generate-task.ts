/** Draws tasks: a layout, a desktop, a template and its parameters. Every task is checked by an expert who knows what an agent knows. */
import type { Split } from '../../../method/ports.ts'
import { pick, pickWeighted, seededRandom, type Random } from '../../random.ts'
import { BROWSER } from '../engine/facts.ts'
import type { DesktopGame } from '../engine/game.ts'
import type { Layout } from '../engine/layout.ts'
import { defaultStepLimit, startGame } from '../engine/state.ts'
import { playExpert } from '../planning/expert.ts'
import { distanceToGoal } from '../planning/distance.ts'
import { drawDesktop, type DrawnDesktop } from './draw-desktop.ts'
import { belongsTo, TRAINING_LAYOUTS, UNSEEN_LAYOUTS, type LayoutPlan } from './splits.ts'
import type { Template } from './template.ts'
import { composeGame, TEMPLATES } from './templates.ts'

interface GeneratorOptions {
  seed: number
  split: Split
  /** Defaults to all of the split. */
  templates?: readonly string[]
  /** Whether `train` may have templates that are otherwise of `ood` alone, for pretraining; false by default. */
  allowsOodTemplates?: boolean
  /** Which words the buttons may have (engine/layout.ts); all by default. */
  wordings?: readonly Layout['words'][]
}

/** Leaves the expert some steps to spare before the usual limit of 20. */
const EXPERT_STEP_LIMIT = defaultStepLimit - 3
/** Half of `ood` are other templates, the other half other pairs. */
const OOD_TEMPLATE_WEIGHT = 4
const ATTEMPTS = 400

/** The options determine the task. Throws if none of the templates gives a task of the split. */
export function generateTask(options: GeneratorOptions): DesktopGame {
  const { seed, split, allowsOodTemplates = split === 'ood' } = options
  const wanted = TEMPLATES.filter(
    ({ name, isOodTemplate }) =>
      (options.templates === undefined || options.templates.includes(name)) && (allowsOodTemplates || !isOodTemplate),
  )
  const random = seededRandom('desktop task', seed, split, options.templates?.join() ?? '')
  let template: Template | null = null
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Each template gets many draws, so the mix does not depend on how often its tasks are rejected.
    if (attempt % 50 === 0)
      template = pickWeighted(random, wanted, ({ weight, isOodTemplate }) =>
        split === 'ood' && isOodTemplate ? OOD_TEMPLATE_WEIGHT : weight,
      )
    const game = template && drawTask(template, options, random)
    if (game && isPlayable(game, random)) return game
  }
  throw new Error(
    `Seed ${seed} gave no ${split} task of the templates ${wanted.map(({ name }) => name).join(', ')} in ${ATTEMPTS} attempts. Allow more templates or use another seed.`,
  )
}

function drawTask(template: Template, options: GeneratorOptions, random: Random): DesktopGame | null {
  return drawTaskOn(drawPlace(options, random), template, options, random)
}

/** A desktop in a layout, before anything is asked. */
interface DrawnPlace extends LayoutPlan {
  drawn: DrawnDesktop
}

export function drawPlace(
  { split, wordings }: Pick<GeneratorOptions, 'split' | 'wordings'>,
  random: Random,
): DrawnPlace {
  const layouts = split === 'ood' ? UNSEEN_LAYOUTS : TRAINING_LAYOUTS
  const plan = pick(random, wordings ? layouts.filter((each) => wordings.includes(each.layout.words)) : layouts)
  return { ...plan, drawn: drawDesktop(random, plan.sections) }
}

/** Null if the template has nothing here, or what it draws belongs to another split. */
export function drawTaskOn(
  { layout, name, drawn }: DrawnPlace,
  template: Template,
  { seed, split, allowsOodTemplates }: Pick<GeneratorOptions, 'seed' | 'split' | 'allowsOodTemplates'>,
  random: Random,
): DesktopGame | null {
  const wish = template.draw(drawn, random)
  if (!wish) return null
  const game = composeGame({
    id: `${template.name}/${split}-${seed}`,
    wish,
    isHinted: false,
    desktop: template.spoil(drawn.desktop, wish),
    layout,
    front: -1,
    pages: FIRST_PAGES,
    start: drawn.facts,
    origin: { split, seed },
  })
  if (!game) return null
  const [object, target] = game.pair
  const isOodTemplate = template.isOodTemplate && (split === 'ood' || !allowsOodTemplates)
  return belongsTo(split, name, { template: template.name, object, target, isOodTemplate }) ? game : null
}

const FIRST_PAGES: readonly number[] = [0, 0, 0, 0, 0, 0]

/** The goal is not met at the start, can be reached, and is reached by one who knows no more than an agent. */
export function isPlayable(game: DesktopGame, random: Random, stepLimit = EXPERT_STEP_LIMIT): boolean {
  const distance = distanceToGoal(startGame(game))
  if (distance <= 1 || distance > stepLimit) return false
  // Where every page is one click away, a search looks at each page at most once.
  const search = game.missing.reduce(
    (pages, { app, mayHold }) => pages + (app === BROWSER ? Infinity : bits(mayHold)),
    0,
  )
  if (distance + search <= stepLimit) return true
  return playExpert(game, random, { stepLimit }).won
}

function bits(mask: number): number {
  let count = 0
  for (let left = mask; left !== 0; left >>= 1) count += left & 1
  return count
}
