/** The training of each of the desktop's models. */
import type { DesktopGame } from '../../worlds/desktop/engine/game.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { stagesOf, stepTraining } from '../step-training.ts'
import { authorPieces } from './author-corpus.ts'
import { judgedPieces, policyPieces, type JudgementRecipe, type PolicyRecipe } from './corpus.ts'
import { authorStanding, judgedEpisodes, policyStanding } from './measure.ts'
import { PLAYED_DESKTOP } from './played-games.ts'
import { AUTHOR, POLICY, REWARD } from './recipes.ts'
import { desktopTokenizer } from './tokenizer.ts'

export const desktopTraining = stepTraining<DesktopGame, PolicyRecipe, JudgementRecipe>({
  formats: desktopFormats,
  tokenizer: desktopTokenizer,
  policy: POLICY,
  reward: REWARD,
  author: AUTHOR,
  policyPieces,
  judgedPieces,
  authorPieces,
  policyStanding,
  authorStanding,
  played: PLAYED_DESKTOP,
  // The reward model as it was before it learned to judge, at two strengths.
  judgedPlayers: stagesOf('reward', REWARD.reading),
  judgedEpisodes,
})
