/** The training of the three models of a world whose reward model judges steps. */
import type { EpisodeFinished } from '../method/events.ts'
import type { LanguageModelPort, Role } from '../method/ports.ts'
import type { PlainFormats } from '../worlds/plain/roles.ts'
import type { Piece } from './demonstration-corpus.ts'
import type { ModelShape } from './model-shape.ts'
import { playGames, type PlayedGame, type PlayedWorld, type PlayRecipe } from './played-games.ts'
import { rewardStanding } from './reward-accuracy.ts'
import type { TrainingPlan } from './supervised-training.ts'
import { phaseOf, type Phase, type Stage, type Training } from './training.ts'
import type { TokenizerFile } from './vocabulary.ts'

export interface Acting<Recipe> {
  corpus: Recipe
  plan: TrainingPlan
  /** Steps after which it is kept, for weaker play. */
  kept: readonly number[]
}

export interface StepWorld<Game, PolicyRecipe, JudgementRecipe> {
  formats: PlainFormats
  /** The vocabulary of the world, and of these texts. */
  tokenizer(texts: readonly string[]): TokenizerFile
  policy: Acting<PolicyRecipe> & { shape: ModelShape }
  reward: {
    shape: ModelShape
    reading: Acting<PolicyRecipe>
    judging: { play: PlayRecipe; corpus: JudgementRecipe; plan: TrainingPlan; early?: TrainingPlan }
  }
  author: { shape: ModelShape; demonstrations: number; plan: TrainingPlan }
  policyPieces(recipe: PolicyRecipe, seed: number, index: number): Piece[]
  judgedPieces(recipe: JudgementRecipe, played: readonly PlayedGame<Game>[], seed: number, index: number): Piece[]
  authorPieces(seed: number, index: number): Piece[]
  policyStanding(policy: LanguageModelPort): Promise<string>
  authorStanding(author: LanguageModelPort): Promise<string>
  /** The games that policies play for the reward model, who plays them, and held-out ones to measure it on. */
  played: PlayedWorld<Game>
  judgedPlayers: readonly Stage[]
  judgedEpisodes(players: readonly LanguageModelPort[]): Promise<EpisodeFinished[]>
}

export function stepTraining<Game, PolicyRecipe, JudgementRecipe extends object>(
  world: StepWorld<Game, PolicyRecipe, JudgementRecipe>,
): (role: Role, seed: number) => Training {
  const { policy, reward, author } = world
  return (role, seed) => {
    switch (role) {
      case 'policy':
        return { shape: policy.shape, tokenizer: world.tokenizer([]), phases: [actingPhase(world, policy, seed)] }
      case 'reward':
        return {
          shape: reward.shape,
          tokenizer: world.tokenizer([]),
          phases: [actingPhase(world, reward.reading, seed), judgingPhase(world, seed)],
        }
      case 'author': {
        const { shape, plan } = author
        const demonstrations = Array.from({ length: author.demonstrations }, (_, i) => world.authorPieces(seed, i))
        const pieces = (index: number) => demonstrations[index % demonstrations.length]!
        const corpus = { pieces, standing: world.authorStanding }
        return {
          shape,
          tokenizer: world.tokenizer(demonstrations.flat().map(({ text }) => text)),
          phases: [phaseOf(plan, { demonstrations: author.demonstrations }, corpus)],
        }
      }
    }
  }
}

/** A model as it is at all strengths of its first phase. */
export function stagesOf(role: Role, { kept, plan }: Acting<unknown>): Stage[] {
  return [...kept, plan.steps].map((step) => ({ role, phase: 1, step }))
}

function actingPhase<Recipe>(
  { policyPieces, policyStanding }: Pick<StepWorld<never, Recipe, never>, 'policyPieces' | 'policyStanding'>,
  { corpus, plan, kept }: Acting<Recipe>,
  seed: number,
): Phase {
  const pieces = (index: number) => policyPieces(corpus, seed, index)
  return { ...phaseOf(plan, corpus, { pieces, standing: policyStanding }), kept }
}

function judgingPhase<Game, PolicyRecipe, JudgementRecipe extends object>(
  { reward, formats, played: playedWorld, judgedPlayers, ...world }: StepWorld<Game, PolicyRecipe, JudgementRecipe>,
  seed: number,
): Phase {
  const { play, corpus, plan, early } = reward.judging
  return {
    plan,
    ...(early && { early }),
    recipe: { play, ...corpus },
    players: judgedPlayers,
    async open(players, report) {
      const games = players.length * play.gamesOfEachPlayer
      const tell = (done: number) => report(`played ${done} of ${games} games`, done / games)
      const played = await playGames(playedWorld, players, play, seed, tell)
      const heldOut = await world.judgedEpisodes(players)
      return {
        pieces: (index) => world.judgedPieces(corpus, played, seed, index),
        standing: (model) => rewardStanding(model, formats.reward, heldOut),
      }
    },
  }
}
