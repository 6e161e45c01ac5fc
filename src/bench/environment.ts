/**
 * Speed of the household on one core: steps with and without the list of admissible commands, resets, the oracle's labels, the
 * expert, and the generator; on generated full-size games and, if available, on official ones. The caller provides peers, which need
 * a process of their own. The desktop's speed follows (desktop.ts).
 */
import { admissibleCommands } from '../worlds/household/engine/commands.ts'
import { step } from '../worlds/household/engine/step.ts'
import { decide } from '../worlds/household/planning/expert.ts'
import type { HouseholdGame, SceneSize } from '../worlds/household/engine/game.ts'
import { generateGame } from '../worlds/household/generator/generate-game.ts'
import { Knowledge } from '../worlds/household/planning/knowledge.ts'
import { openingText } from '../worlds/household/engine/observations.ts'
import { distanceToGoal } from '../worlds/household/planning/plan.ts'
import { seededRandom } from '../worlds/random.ts'
import { cloneState, startGame, type GameState } from '../worlds/household/engine/state.ts'
import { stepLabel } from '../worlds/household/planning/step-label.ts'
import { measureDesktop } from './desktop.ts'
import { generatedPlays, recordPlay, type Play } from './environment-plays.ts'
import { checked, measureRate, type Round, type Timing } from './repetitions.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'

export interface OfficialGame {
  game: HouseholdGame
  /** The game's file, which a peer reads itself. */
  bytes(): Promise<Uint8Array>
}

export type OfficialPlay = Play & OfficialGame

export interface PeerSpeed {
  /** "alfworld 0.4.2". */
  subject: string
  /** Both rates include the list of admissible commands, which the peer always computes. */
  stepsPerSecond: number
  resetsPerSecond: number
  note: string
}

export interface EnvironmentSuiteOptions extends Omit<Timing, 'signal'> {
  /** Generated full-size games to play. */
  games: number
  /** Returns none if there are none here. */
  officialGames?: (context: SuiteContext) => Promise<readonly OfficialGame[]>
  /** Plays the same commands, or says why it cannot. */
  peer?: (plays: readonly OfficialPlay[], context: SuiteContext) => Promise<PeerSpeed | { notMeasured: string }>
}

const OURS = 'household engine'
/** Per second, on one core. */
export const STEP_TARGETS = { steps: 300_000, 'steps with the admissible list': 100_000 } as const

export function environmentSuite(options: EnvironmentSuiteOptions): Suite {
  return {
    name: 'environment',
    summary: 'household and desktop on one core: steps, resets, labels, expert and generators',
    async run(context) {
      const timing: Timing = { ...options, ...(context.signal && { signal: context.signal }) }
      // First, so that problems with them show before the long measurements.
      const official = (await options.officialGames?.(context)) ?? []
      context.progress('Recording plays of generated games')
      const plays = generatedPlays(options.games)
      await measurePlays(plays, { games: 'generated, full', count: plays.length }, timing, context)
      await measureGenerator(timing, context)
      await measureDesktop(timing, context)
      if (official.length === 0) {
        context.progress('Official games: not measured, because none were given.')
        return
      }
      const officialPlays = official.map(({ game, bytes }): OfficialPlay => ({ ...recordPlay(game), bytes }))
      const sizes = { games: 'official', count: official.length }
      await measurePlays(officialPlays, sizes, timing, context)
      if (options.peer) await measurePeer(options.peer, officialPlays, sizes, context)
    },
  }
}

type Sizes = Measurement['sizes']

async function measurePlays(plays: readonly Play[], sizes: Sizes, timing: Timing, context: SuiteContext) {
  const start = () => plays.map(({ game }) => startGame(game))
  const measure = async <Prepared>(name: string, unit: string, round: Round<Prepared>) => {
    context.progress(`Measuring ${name}, ${sizes['count']} ${sizes['games']} games`)
    const { perSecond, note } = await measureRate(round, timing)
    const target = name in STEP_TARGETS ? STEP_TARGETS[name as keyof typeof STEP_TARGETS] : null
    const verdict = target === null ? '' : `; ${perSecond >= target ? 'over' : 'under'} the target of ${target}`
    context.report({ suite: 'environment', name, subject: OURS, value: perSecond, unit, sizes, note: note + verdict })
  }

  await measure('steps', 'steps/s', { prepare: start, work: (states) => playAll(plays, states, false) })
  await measure('steps with the admissible list', 'steps/s', {
    prepare: start,
    work: (states) => playAll(plays, states, true),
  })
  await measure('resets with the admissible list', 'resets/s', {
    prepare: () => plays.map(({ game }) => game),
    work: resetAll,
  })
  await measure('first resets, which build the world', 'resets/s', {
    prepare: () => plays.map(({ game }) => structuredClone(game)),
    work: resetAll,
  })

  const moments = plays.flatMap(momentsOf)
  await measure('distances to the goal', 'distances/s', {
    prepare: () => moments,
    work: (all) => {
      let reachable = 0
      for (const { before } of all) if (distanceToGoal(before) < Infinity) reachable++
      return checked(all.length, reachable > 0)
    },
  })
  await measure('step labels, both distances included', 'labels/s', {
    prepare: () => moments,
    work: (all) => {
      let good = 0
      for (const { before, command, after, knowledge } of all) {
        if (stepLabel(before, command, after, knowledge) === 1) good++
      }
      return checked(all.length, good > 0 && good < all.length)
    },
  })
  await measure('expert decisions', 'decisions/s', {
    prepare: () => seededRandom('bench expert'),
    work: (random) => {
      let letters = 0
      for (const { before, knowledge } of moments) letters += decide(before, knowledge, random).command.length
      return checked(moments.length, letters > 0)
    },
  })
}

function playAll(plays: readonly Play[], states: readonly GameState[], withList: boolean): number {
  let steps = 0
  let seen = 0
  for (let i = 0; i < plays.length; i++) {
    const state = states[i]!
    const { commands } = plays[i]!
    for (let j = 0; j < commands.length; j++) {
      seen += step(state, commands[j]!).observation.length
      if (withList) seen += admissibleCommands(state).length
    }
    steps += commands.length
  }
  return checked(steps, seen > steps && states.every((state) => state.done))
}

function resetAll(games: readonly HouseholdGame[]): number {
  let seen = 0
  for (const game of games) {
    const state = startGame(game)
    seen += openingText(state).length + admissibleCommands(state).length
  }
  return checked(games.length, seen > 100 * games.length)
}

interface Moment {
  before: GameState
  command: string
  after: GameState
  /** The agent's knowledge before the command. */
  knowledge: Knowledge
}

function momentsOf({ game, commands }: Play): Moment[] {
  const state = startGame(game)
  const knowledge = new Knowledge(game)
  return commands.map((command) => {
    const moment = { before: cloneState(state), command, knowledge: knowledge.clone(game) }
    knowledge.update(command, step(state, command).accepted, state)
    return { ...moment, after: cloneState(state) }
  })
}

async function measureGenerator(timing: Timing, context: SuiteContext): Promise<void> {
  for (const sceneSize of ['full', 'compact'] satisfies SceneSize[]) {
    context.progress(`Measuring the generator, ${sceneSize} scenes`)
    let seed = 0
    const { perSecond, note } = await measureRate(
      {
        prepare: () => (seed = 0),
        work: () => {
          let objects = 0
          for (; seed < 20; seed++) objects += generateGame({ seed, split: 'train', sceneSize }).objects.length
          return checked(20, objects > 0)
        },
      },
      timing,
    )
    const sizes = { games: `generated, ${sceneSize}` }
    context.report({
      suite: 'environment',
      name: 'games generated, each with a proof that it can be won',
      subject: OURS,
      value: perSecond,
      unit: 'games/s',
      sizes,
      note,
    })
  }
}

async function measurePeer(
  peer: NonNullable<EnvironmentSuiteOptions['peer']>,
  plays: readonly OfficialPlay[],
  sizes: Sizes,
  context: SuiteContext,
): Promise<void> {
  const speed = await peer(plays, context)
  if ('notMeasured' in speed) {
    context.progress(`The Python package was not measured: ${speed.notMeasured}`)
    return
  }
  const { subject, stepsPerSecond, resetsPerSecond, note } = speed
  const base = { suite: 'environment', subject, sizes, note } as const
  context.report({ ...base, name: 'steps with the admissible list', value: stepsPerSecond, unit: 'steps/s' })
  context.report({ ...base, name: 'resets with the admissible list', value: resetsPerSecond, unit: 'resets/s' })
}
