/** The training of each of the desktop's models. */
import type { Role } from '../../method/ports.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { playGames } from '../played-games.ts'
import { rewardStanding } from '../reward-accuracy.ts'
import { phaseOf, type Phase, type Stage, type Training } from '../training.ts'
import { authorPieces } from './author-corpus.ts'
import { judgedPieces, policyPieces } from './corpus.ts'
import { authorStanding, judgedEpisodes, policyStanding } from './measure.ts'
import { PLAYED_DESKTOP } from './played-games.ts'
import { AUTHOR, POLICY, REWARD, type Acting } from './recipes.ts'
import { desktopTokenizer } from './tokenizer.ts'

export function desktopTraining(role: Role, seed: number): Training {
  switch (role) {
    case 'policy':
      return { shape: POLICY.shape, tokenizer: desktopTokenizer([]), phases: [actingPhase(POLICY, seed)] }
    case 'reward':
      return {
        shape: REWARD.shape,
        tokenizer: desktopTokenizer([]),
        phases: [actingPhase(REWARD.reading, seed), judgingPhase(seed)],
      }
    case 'author': {
      const demonstrations = Array.from({ length: AUTHOR.demonstrations }, (_, index) => authorPieces(seed, index))
      return {
        shape: AUTHOR.shape,
        tokenizer: desktopTokenizer(demonstrations.flat().map(({ text }) => text)),
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

function actingPhase({ corpus, plan, kept }: Acting, seed: number): Phase {
  const pieces = (index: number) => policyPieces(corpus, seed, index)
  return { ...phaseOf(plan, corpus, { pieces, standing: policyStanding }), kept }
}

/** The reward model as it was before it learned to judge, at two strengths: it plays. */
export function judgedPlayers(): Stage[] {
  const { kept, plan } = REWARD.reading
  return [...kept, plan.steps].map((step) => ({ role: 'reward', phase: 1, step }))
}

function judgingPhase(seed: number): Phase {
  const { play, corpus, plan } = REWARD.judging
  return {
    plan,
    recipe: { play, ...corpus },
    players: judgedPlayers(),
    async open(players, report) {
      const games = players.length * play.gamesOfEachPlayer
      const tell = (done: number) => report(`played ${done} of ${games} games`, done / games)
      const played = await playGames(PLAYED_DESKTOP, players, play, seed, tell)
      const heldOut = await judgedEpisodes(players)
      return {
        pieces: (index) => judgedPieces(corpus, played, seed, index),
        standing: (model) => rewardStanding(model, desktopFormats.reward, heldOut),
      }
    },
  }
}
