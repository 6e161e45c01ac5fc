/** The training of each household model. */
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { stagesOf, stepTraining } from '../step-training.ts'
import { authorPieces } from './author-corpus.ts'
import { judgedPieces, policyPieces } from './corpus.ts'
import { authorStanding, judgedEpisodes, policyStanding } from './measure.ts'
import { PLAYED_HOUSEHOLD } from './played-games.ts'
import { AUTHOR, POLICY, REWARD } from './recipes.ts'
import { householdTokenizer } from './tokenizer.ts'

export const householdTraining = stepTraining({
  formats: householdFormats,
  tokenizer: householdTokenizer,
  policy: POLICY,
  reward: REWARD,
  author: AUTHOR,
  policyPieces,
  judgedPieces,
  authorPieces,
  policyStanding,
  authorStanding,
  played: PLAYED_HOUSEHOLD,
  // The policy at all its strengths, and the reward model as it was before it learned to judge.
  judgedPlayers: [...stagesOf('policy', POLICY), ...stagesOf('reward', REWARD.reading)],
  judgedEpisodes,
})
