/** The coding setting of a run: problems, and a judge in a thread of its own that ends with the run. */
import { CodingEnvironment } from './environment.ts'
import { generatedProblems, importedProblems, NoProblemsError, type ProblemSource } from './problem-source.ts'
import { codingFormats, importedCodingFormats } from './roles/plain-roles.ts'
import type { RoleFormats } from '../../method/ports.ts'
import { ending, type CodingSources, type OpenedWorld, type RolePieces, type WorldRequest } from '../open-world.ts'
import { SupervisedJudge } from './judge/supervised-judge.ts'

/** Throws a NoProblemsError where there is no imported problem for what the run would draw, and what `listProblems` throws. */
export async function openCoding(request: WorldRequest, sources: CodingSources): Promise<OpenedWorld> {
  const problems = await problemsFor(request, sources)
  const judge = new SupervisedJudge({
    startWorker: () => sources.startJudge(),
    onLoss: (loss) => sources.onJudgeLoss(loss),
  })
  const environment = new CodingEnvironment({ judge, problems })
  const plain = request.settings.problems === 'imported' ? importedCodingFormats : codingFormats
  return {
    environment,
    unitTests: environment,
    formatsFor: (pieces) => formatsFor(pieces, plain),
    close: () => judge.close(),
  }
}

async function formatsFor({ policy, reward, author }: RolePieces, plain: RoleFormats): Promise<RoleFormats> {
  if (!policy && !reward && !author) return plain
  const instruct = await import('./roles/instruct-roles.ts')
  return {
    policy: policy ? ending(policy, instruct.instructPolicy(policy)) : plain.policy,
    reward: reward ? instruct.instructReward(reward) : plain.reward,
    author: author ? instruct.instructAuthor(author) : plain.author,
  }
}

async function problemsFor({ settings, isResumed }: WorldRequest, sources: CodingSources): Promise<ProblemSource> {
  if (settings.problems === 'generated') return generatedProblems()
  const imported = await sources.listProblems()
  const isEvaluated = settings.evaluateEvery > 0 && settings.evaluationTasks > 0
  if (!isResumed && !imported.some(({ split }) => split === 'train')) {
    const there = imported.length === 0 ? 'there are none' : `none of the ${imported.length} there is one to train on`
    throw new NoProblemsError(`The run poses imported problems, and ${there}.`)
  }
  if (isResumed && isEvaluated && imported.length === 0) {
    throw new NoProblemsError('The run is evaluated on imported problems, and there are none any more.')
  }
  return importedProblems(imported)
}
