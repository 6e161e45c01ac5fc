/**
 * Speed of the desktop on one core: steps with their observation, steps with distance and label as well, and tasks drawn and checked.
 * Half of the plays are the expert's, half are random clicks and what is worth typing, as of a policy in training.
 */
import { elementsOf } from '../worlds/desktop/engine/elements.ts'
import type { DesktopGame } from '../worlds/desktop/engine/game.ts'
import { openingText } from '../worlds/desktop/engine/observations.ts'
import { cloneState, startGame } from '../worlds/desktop/engine/state.ts'
import { step } from '../worlds/desktop/engine/step.ts'
import { generateTask } from '../worlds/desktop/generator/generate-task.ts'
import { distanceToGoal } from '../worlds/desktop/planning/distance.ts'
import { playExpert } from '../worlds/desktop/planning/expert.ts'
import { stepLabel } from '../worlds/desktop/planning/step-label.ts'
import { pick, seededRandom } from '../worlds/random.ts'
import { checked, measureRate, type Round, type Timing } from './repetitions.ts'
import type { SuiteContext } from './suite.ts'

const SUBJECT = 'desktop engine'
/** Per second, on one core. */
export const DESKTOP_TARGETS = {
  'steps with observation': 200_000,
  'steps with observation, distance and label': 50_000,
  'tasks drawn and checked': 1000,
} as const
type Name = keyof typeof DESKTOP_TARGETS

const GAMES = 128
const RANDOM_STEPS = 12
const NEW_TASKS = 50

interface Play {
  game: DesktopGame
  commands: readonly string[]
}

export async function measureDesktop(timing: Timing, context: SuiteContext): Promise<void> {
  context.progress('Recording plays on generated desktops')
  const plays = Array.from({ length: GAMES }, (_, seed) => recordPlay(seed))
  const measure = async <Prepared>(name: Name, unit: string, round: Round<Prepared>) => {
    context.progress(`Measuring ${name}`)
    const { perSecond, note } = await measureRate(round, timing)
    const target = DESKTOP_TARGETS[name]
    const verdict = `; ${perSecond >= target ? 'over' : 'under'} the target of ${target}`
    const sizes = { games: 'generated desktops', count: GAMES }
    context.report({
      suite: 'environment',
      name,
      subject: SUBJECT,
      value: perSecond,
      unit,
      sizes,
      note: note + verdict,
    })
  }
  await measure('steps with observation', 'steps/s', {
    prepare: () => plays,
    work: (all) => all.reduce((steps, play) => steps + replay(play), 0),
  })
  await measure('steps with observation, distance and label', 'steps/s', {
    prepare: () => plays,
    work: (all) => all.reduce((steps, play) => steps + replayLabelled(play), 0),
  })
  let seed = 0
  await measure('tasks drawn and checked', 'tasks/s', {
    prepare: () => (seed += NEW_TASKS),
    work(first) {
      let letters = 0
      for (let i = 0; i < NEW_TASKS; i++)
        letters += generateTask({ seed: first + i, split: 'train' }).instruction.length
      return checked(NEW_TASKS, letters > NEW_TASKS)
    },
  })
}

function recordPlay(seed: number): Play {
  const game = generateTask({ seed, split: seed % 4 === 3 ? 'ood' : 'train' })
  const random = seededRandom('bench desktop', seed)
  if (seed % 2 === 0) return { game, commands: playExpert(game, random).commands }
  const state = startGame(game)
  const commands = Array.from({ length: RANDOM_STEPS }, () => {
    const command = `click ${pick(random, elementsOf(state)).name}`
    step(state, command)
    return command
  })
  return { game, commands }
}

function replay({ game, commands }: Play): number {
  const state = startGame(game)
  let letters = openingText(state, game.instruction).length
  for (const command of commands) letters += step(state, command).observation.length
  return checked(commands.length, letters > commands.length)
}

function replayLabelled({ game, commands }: Play): number {
  const state = startGame(game)
  let letters = openingText(state, game.instruction).length
  let distance = distanceToGoal(state)
  let labels = 0
  for (const command of commands) {
    const before = cloneState(state)
    const { observation, accepted } = step(state, command)
    letters += observation.length
    const after = accepted ? distanceToGoal(state) : distance
    labels += stepLabel(before, state, distance, after)
    distance = after
  }
  return checked(commands.length, letters > commands.length && Math.abs(labels) <= commands.length)
}
