/** The training of each coding model. */
import { codingFormats } from '../../worlds/coding/roles/plain-roles.ts'
import type { LanguageModel } from '../../language-model/language-model.ts'
import type { Split } from '../../method/ports.ts'
import { programPieces, rewritePieces, testPieces } from './corpus.ts'
import { CODING_AUTHOR, CODING_POLICY, CODING_REWARD } from './recipes.ts'
import { codingTokenizer } from './tokenizer.ts'
import { codingEnvironmentHere, measurePrograms, measureTests, shareAsAsked } from './measure.ts'
import { measureAuthor } from '../measure-roles.ts'
import type { Role } from '../../method/ports.ts'
import { phaseOf, type Training } from '../training.ts'

const MEASURED = { tasks: 48, programs: 8, seed: 1 }
/** Share of mistakes in the programs that measure the reward model: about as good as the shipped policy. */
const JUDGED_SLIP = 0.3
const AUTHOR_MEASURE = {
  easier:
    'wrong answer on test 2 x6; wrong answer on test 4 x5; wrong answer on written [3] x5; written [1] -> 5 lies x2',
  harder: 'passed all tests x8; passed written [1] x8; written [2] -> 5 lies x1; written [4] -> 17 lies x1',
  maxSteps: 1,
  seed: 1,
}

export function codingTraining(role: Role, seed: number): Training {
  switch (role) {
    case 'policy': {
      const { shape, corpus, demonstrations, plan } = CODING_POLICY
      const pieces = (index: number) => programPieces(corpus, seed, index % demonstrations)
      return {
        shape,
        tokenizer: codingTokenizer((index) => programPieces({ slip: 0.5 }, seed, index)),
        phases: [phaseOf(plan, { ...corpus, demonstrations }, { pieces, standing: policyStanding })],
      }
    }
    case 'reward': {
      const { shape, corpus, plan } = CODING_REWARD
      const pieces = (index: number) => testPieces(corpus, seed, index)
      return {
        shape,
        tokenizer: codingTokenizer((index) => testPieces({ slip: 0.5, boundary: 0.5 }, seed, index)),
        phases: [phaseOf(plan, corpus, { pieces, standing: rewardStanding })],
      }
    }
    case 'author': {
      const { shape, demonstrations, plan } = CODING_AUTHOR
      const known = Array.from({ length: demonstrations }, (_, index) => rewritePieces(seed, index))
      const pieces = (index: number) => known[index % demonstrations]!
      return {
        shape,
        tokenizer: codingTokenizer(pieces),
        phases: [phaseOf(plan, { demonstrations }, { pieces, standing: authorStanding })],
      }
    }
  }
}

async function policyStanding(model: LanguageModel): Promise<string> {
  return onHeldOut(async (split) => {
    const environment = codingEnvironmentHere()
    const greedy = await measurePrograms(model, environment, { ...MEASURED, split, programs: 1, temperature: 0 })
    const { strict, mixed, malformed } = await measurePrograms(model, environment, { ...MEASURED, split })
    return `Code ${shown(greedy.strict)} greedy and ${shown(strict)} sampled, tasks with right and wrong programs ${shown(mixed)}, malformed ${shown(malformed)}`
  })
}

async function rewardStanding(model: LanguageModel): Promise<string> {
  return onHeldOut(async (split) => {
    const { ut, detect, truth, unreadable } = await measureTests(model, codingEnvironmentHere(), JUDGED_SLIP, {
      ...MEASURED,
      split,
    })
    return `UT ${shown(ut)}, Detect ${shown(detect)}, true tests ${shown(truth)}, unreadable ${shown(unreadable)}`
  })
}

async function authorStanding(model: LanguageModel): Promise<string> {
  const measured = await measureAuthor(model, codingEnvironmentHere(), codingFormats, AUTHOR_MEASURE)
  const { valid, proposed, rewrites } = measured
  return `valid attempts ${shown(valid)}, as asked ${shown(shareAsAsked(rewrites))}, tasks with a valid one among 8 ${shown(proposed)}`
}

async function onHeldOut(measure: (split: Split) => Promise<string>): Promise<string> {
  return `id: ${await measure('id')}; ood: ${await measure('ood')}`
}

function shown(share: number | null): string {
  return share === null ? '-' : share.toFixed(3)
}
