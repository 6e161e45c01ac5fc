/** The training of the policy and the reward model that all worlds of steps share. They have no author. */
import type { EpisodeFinished } from '../../method/events.ts'
import type { LanguageModelPort } from '../../method/ports.ts'
import type { LearningRole } from '../../roles/learning.ts'
import { chance, seededRandom } from '../../worlds/random.ts'
import type { DesktopGame } from '../../worlds/desktop/engine/game.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import type { Piece } from '../demonstration-corpus.ts'
import * as desktopCorpus from '../desktop/corpus.ts'
import * as desktopMeasure from '../desktop/measure.ts'
import { PLAYED_DESKTOP } from '../desktop/played-games.ts'
import * as householdCorpus from '../household/corpus.ts'
import * as householdMeasure from '../household/measure.ts'
import { PLAYED_HOUSEHOLD } from '../household/played-games.ts'
import { playGames, type PlayedGame } from '../played-games.ts'
import { rewardStanding } from '../reward-accuracy.ts'
import { stagesOf } from '../step-training.ts'
import { phaseOf, type Phase, type Training } from '../training.ts'
import {
  CHAT_FORMATS,
  CHAT_TEMPLATE,
  chatForm,
  SHARED_WORLDS,
  terseTranscripts,
  type SharedWorld,
} from './chat-form.ts'
import { POLICY, REWARD, TURNS } from './recipes.ts'
import { sharedTokenizer } from './tokenizer.ts'

const MEASURES: Readonly<Record<SharedWorld, Pick<typeof householdMeasure, 'policyStanding' | 'judgedEpisodes'>>> = {
  household: householdMeasure,
  desktop: desktopMeasure,
}

export function sharedTraining(role: LearningRole, seed: number): Training {
  const both = { shape: POLICY.shape, tokenizer: sharedTokenizer(), chatTemplate: CHAT_TEMPLATE }
  if (role === 'policy') return { ...both, phases: [actingPhase(seed)] }
  return {
    ...both,
    from: { role: 'policy', phase: 1, step: POLICY.plan.steps },
    phases: [judgingPhase(seed)],
  }
}

function actingPhase(seed: number): Phase {
  const { plan, corpus, kept } = POLICY
  const standing = (model: LanguageModelPort) =>
    ofEachWorld((world) => MEASURES[world].policyStanding(model, CHAT_FORMATS[world]))
  return {
    ...phaseOf(plan, { turns: TURNS, ...corpus }, { pieces: (index) => actedPieces(seed, index), standing }),
    kept,
  }
}

/** Demonstration `index` of the policy's corpus. */
export function actedPieces(seed: number, index: number): Piece[] {
  const world = TURNS[index % TURNS.length]!
  return world === 'household'
    ? householdCorpus.policyPieces(POLICY.corpus.household, seed, index, chatForm(world))
    : desktopCorpus.policyPieces(POLICY.corpus.desktop, seed, index, chatForm(world))
}

export interface SharedGames {
  household: readonly PlayedGame<HouseholdGame>[]
  desktop: readonly PlayedGame<DesktopGame>[]
}

/** Transcript `index` of the judge's corpus. */
export function judgedPieces(played: SharedGames, seed: number, index: number): Piece[] {
  const world = SHARED_WORLDS[index % SHARED_WORLDS.length]!
  const isTerse = chance(seededRandom('shared judge', seed, index), REWARD.terse)
  const form = isTerse ? terseTranscripts(world) : chatForm(world)
  const { household, desktop } = REWARD.corpus
  return world === 'household'
    ? householdCorpus.judgedPieces(household, played.household, seed, index, form)
    : desktopCorpus.judgedPieces(desktop, played.desktop, seed, index, form)
}

function judgingPhase(seed: number): Phase {
  const { plan, play, corpus, terse } = REWARD
  const players = stagesOf('policy', POLICY)
  return {
    plan,
    recipe: { from: { turns: TURNS, ...POLICY }, play, terse, ...corpus },
    players,
    async open(models, report) {
      const games = SHARED_WORLDS.length * models.length * play.gamesOfEachPlayer
      const after = (before: number) => (done: number) =>
        report(`played ${before + done} of ${games} games`, (before + done) / games)
      const household = { ...PLAYED_HOUSEHOLD, formats: CHAT_FORMATS.household }
      const desktop = { ...PLAYED_DESKTOP, formats: CHAT_FORMATS.desktop }
      const played: SharedGames = {
        household: await playGames(household, models, play, seed, after(0)),
        desktop: await playGames(desktop, models, play, seed, after(games / SHARED_WORLDS.length)),
      }
      const heldOut = new Map<SharedWorld, EpisodeFinished[]>()
      for (const world of SHARED_WORLDS)
        heldOut.set(world, await MEASURES[world].judgedEpisodes(models, CHAT_FORMATS[world]))
      return {
        pieces: (index) => judgedPieces(played, seed, index),
        standing: (model) =>
          ofEachWorld((world) => rewardStanding(model, CHAT_FORMATS[world].reward, heldOut.get(world)!)),
      }
    },
  }
}

async function ofEachWorld(standing: (world: SharedWorld) => Promise<string>): Promise<string> {
  const lines: string[] = []
  for (const world of SHARED_WORLDS) lines.push(`${world}: ${await standing(world)}`)
  return lines.join('; ')
}
