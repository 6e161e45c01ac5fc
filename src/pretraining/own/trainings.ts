/** The training of each model of a world from a file that has an expert. */
import type { LanguageModel } from '../../language-model/language-model.ts'
import type { Role } from '../../method/ports.ts'
import { OwnEnvironment } from '../../worlds/own/environment.ts'
import { OwnWorldError } from '../../worlds/own/error.ts'
import type { Data, OwnGuest } from '../../worlds/own/guest.ts'
import { demonstrateJudgement } from '../../worlds/own/roles/demonstrations.ts'
import { ownFormats } from '../../worlds/own/roles/plain-roles.ts'
import { portTask } from '../../worlds/own/tasks.ts'
import { chance, seededRandom } from '../../worlds/random.ts'
import type { Piece } from '../demonstration-corpus.ts'
import { judgedLine, policyLine } from '../plain-lines.ts'
import { playGames, type PlayedWorld } from '../played-games.ts'
import { rewardStanding } from '../reward-accuracy.ts'
import { phaseOf, type Corpus, type Phase, type Stage, type Training } from '../training.ts'
import {
  authorPieces,
  demonstrations,
  reasonsIn,
  replayed,
  scoutExpert,
  trainingTask,
  type Demonstrated,
} from './corpus.ts'
import { authorStanding, judgedEpisodes, policyStanding, trainingAccuracy } from './measure.ts'
import { AUTHOR, POLICY, REWARD } from './recipes.ts'
import { ownTokenizer } from './tokenizer.ts'

/** `hash` is that of the world's file. Throws OwnWorldError if the world has no expert, or none that ever wins. */
export function ownTrainings(guest: OwnGuest, hash: string, seed: number): (role: Role) => Training {
  if (!guest.parts.has('expert'))
    throw new OwnWorldError(
      `${guest.file} has no \`expert\`, so there is nothing that small models could learn from. ` +
        'Add one, or play with chat models: npm run loop -- --world FILE --policy-model …',
    )
  const { commands, played, won } = scoutExpert(guest)
  if (commands.length === 0)
    throw new OwnWorldError(`\`expert\` of ${guest.file} was never asked: every task is over at once.`)
  if (won === 0)
    throw new OwnWorldError(
      `\`expert\` of ${guest.file} won none of ${played} tasks. Check it with npm run check:world.`,
    )
  const acted = demonstrations(guest, commands, POLICY.corpus, seed, 'policy')
  const lines = acted.map(goodSteps)
  const corpus = {
    pieces: (index: number) => lines[index % lines.length]!,
    standing: (model: LanguageModel) => policyStanding(guest, model),
  }
  const tokenizer = ownTokenizer(acted, [])
  return (role) => {
    switch (role) {
      case 'policy':
        return { shape: POLICY.shape, tokenizer, phases: [actingPhase(guest, hash, corpus)] }
      case 'reward':
        return {
          shape: REWARD.shape,
          tokenizer,
          phases: [readingPhase(hash, corpus), judgingPhase(guest, hash, commands, seed)],
        }
      case 'author':
        return authorTraining(guest, hash, acted, seed)
    }
  }
}

function actingPhase(guest: OwnGuest, hash: string, corpus: Corpus): Phase {
  const { plan, corpus: recipe, enough } = POLICY
  return {
    ...phaseOf(plan, { hash, recipe, enough }, corpus),
    isEnough: async (model) => (await trainingAccuracy(guest, model, enough.tasks)) >= enough.accuracy,
    reportEvery: enough.every,
  }
}

function readingPhase(hash: string, corpus: Corpus): Phase {
  const { plan, corpus: recipe, kept } = REWARD.reading
  return { ...phaseOf(plan, { hash, recipe }, corpus), kept }
}

/** The episode as the policy writes it, without learning its slips. */
function goodSteps(episode: Demonstrated): Piece[] {
  let step = 0
  return policyLine(ownFormats, episode).map((piece) => {
    if (!piece.isResponse) return piece
    const { trueLabel } = episode.steps[step++]!
    return trueLabel === 1 ? piece : { ...piece, weight: 0 }
  })
}

function judgingPhase(guest: OwnGuest, hash: string, commands: readonly string[], seed: number): Phase {
  const { play, corpus, playedShare, plan } = REWARD.judging
  const { kept, plan: read } = REWARD.reading
  const players: Stage[] = [...kept, read.steps].map((step) => ({ role: 'reward', phase: 1, step }))
  const world: PlayedWorld<Data> = {
    gameOf: (game) => trainingTask(guest, game),
    environmentOf: (games) => new GivenTasks(guest, games),
    formats: ownFormats,
  }
  return {
    plan,
    recipe: { hash, play, corpus, playedShare },
    players,
    async open(models, report) {
      const games = models.length * play.gamesOfEachPlayer
      const tell = (done: number) => report(`played ${done} of ${games} games`, done / games)
      const played = await playGames(world, models, play, seed, tell)
      const heldOut = await judgedEpisodes(guest, models)
      const slipped = demonstrations(guest, commands, corpus, seed, 'reward')
      const replays = played.map((game) => replayed(guest, game))
      return {
        pieces(index) {
          const random = seededRandom('own judge', seed, index)
          const from = chance(random, playedShare) ? replays : slipped
          return judgedLine(ownFormats, from[index % from.length]!, demonstrateJudgement)
        },
        standing: (model) => rewardStanding(model, ownFormats.reward, heldOut),
      }
    },
  }
}

/** An environment that draws these tasks. */
class GivenTasks extends OwnEnvironment {
  constructor(
    private readonly guest: OwnGuest,
    private readonly games: readonly Data[],
  ) {
    super(guest)
  }

  override async sampleTasks() {
    return this.games.map((body, index) => portTask(this.guest, body, String(index)))
  }
}

function authorTraining(guest: OwnGuest, hash: string, acted: readonly Demonstrated[], seed: number): Training {
  const reasons = reasonsIn(acted)
  const drawn = Array.from({ length: AUTHOR.demonstrations }, (_, index) => authorPieces(guest, reasons, seed, index))
  const lines = drawn.filter((pieces) => pieces !== null)
  if (lines.length === 0)
    throw new OwnWorldError(`\`rewrites\` of ${guest.file} gave no rewrite for ${drawn.length} tasks.`)
  const corpus = {
    pieces: (index: number) => lines[index % lines.length]!,
    standing: (model: Parameters<typeof authorStanding>[1]) => authorStanding(guest, model, reasons),
  }
  return {
    shape: AUTHOR.shape,
    tokenizer: ownTokenizer(
      acted,
      lines.flat().map(({ text }) => text),
    ),
    phases: [phaseOf(AUTHOR.plan, { hash, demonstrations: AUTHOR.demonstrations }, corpus)],
  }
}
