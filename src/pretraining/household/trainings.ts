/** The training of each household model. */
import type { Role } from '../../method/ports.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { authorPieces } from '../author-corpus.ts'
import { phaseOf, type Phase, type Stage, type Training } from '../training.ts'
import { judgedPieces, policyPieces } from './corpus.ts'
import { playGames } from '../played-games.ts'
import { rewardStanding } from '../reward-accuracy.ts'
import { authorStanding, judgedEpisodes, policyStanding } from './measure.ts'
import { PLAYED_HOUSEHOLD } from './played-games.ts'
import { AUTHOR, POLICY, REWARD } from './recipes.ts'
import { householdTokenizer } from './tokenizer.ts'

export function householdTraining(role: Role, seed: number): Training {
  switch (role) {
    case 'policy':
      return { shape: POLICY.shape, tokenizer: householdTokenizer([]), phases: [actingPhase(POLICY, seed)] }
    case 'reward':
      return {
        shape: REWARD.shape,
        tokenizer: householdTokenizer([]),
        phases: [actingPhase(REWARD.reading, seed), judgingPhase(seed)],
      }
    case 'author': {
      const demonstrations = Array.from({ length: AUTHOR.demonstrations }, (_, index) => authorPieces(seed, index))
      return {
        shape: AUTHOR.shape,
        tokenizer: householdTokenizer(demonstrations.flat().map(({ text }) => text)),
        phases: [
          phaseOf(
            AUTHOR.plan,
            { demonstrations: AUTHOR.demonstrations },
            { pieces: (index) => demonstrations[index % demonstrations.length]!, standing: authorStanding },
          ),
        ],
      }
    }
  }
}

function actingPhase({ corpus, plan, kept }: typeof POLICY | typeof REWARD.reading, seed: number): Phase {
  const pieces = (index: number) => policyPieces(corpus, seed, index)
  return { ...phaseOf(plan, corpus, { pieces, standing: policyStanding }), kept }
}

/** The policy at all its strengths, and the reward model as it was before it learned to judge. */
export function judgedPlayers(): Stage[] {
  const stagesOf = (role: Role, { kept, plan }: typeof POLICY | typeof REWARD.reading) =>
    [...kept, plan.steps].map((step) => ({ role, phase: 1, step }))
  return [...stagesOf('policy', POLICY), ...stagesOf('reward', REWARD.reading)]
}

function judgingPhase(seed: number): Phase {
  const { play, corpus, plan, early } = REWARD.judging
  return {
    plan,
    early,
    recipe: { play, ...corpus },
    players: judgedPlayers(),
    async open(players, report) {
      const games = players.length * play.gamesOfEachPlayer
      const tell = (done: number) => report(`played ${done} of ${games} games`, done / games)
      const played = await playGames(PLAYED_HOUSEHOLD, players, play, seed, tell)
      const heldOut = await judgedEpisodes(players)
      return {
        pieces: (index) => judgedPieces(corpus, played, seed, index),
        standing: (model) => rewardStanding(model, householdFormats.reward, heldOut),
      }
    },
  }
}
