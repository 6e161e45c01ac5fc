/** Opens the coding world for a run: problems, and judges in threads of their own that end with the run. */
import type { WorkerLostError } from '../../threads/errors.ts'
import type { Bridge } from '../../threads/worker-bridge.ts'
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld, WorldRequest } from '../world.ts'
import { CodingEnvironment } from './environment.ts'
import { codingTrajectories } from './fixed-trajectories.ts'
import type { Judge } from './judge/judge.ts'
import { JudgePool } from './judge/judge-pool.ts'
import { SupervisedJudge } from './judge/supervised-judge.ts'
import {
  generatedProblems,
  importedProblems,
  NoProblemsError,
  type ImportedProblem,
  type ProblemSource,
} from './problem-source.ts'
import { codingFormats, importedCodingFormats } from './roles/plain-roles.ts'

export interface CodingSources {
  /** All imported problems. Called only if the run poses them. */
  listProblems(): Promise<readonly ImportedProblem[]>
  /** How many judges work side by side: judgesFor. */
  judges: number
  /** Called when a program is to be judged and all judges that were started are busy. */
  startJudge(): Bridge<Judge>
  onJudgeLoss(loss: WorkerLostError): void
}

/** Throws what `listProblems` throws, and a NoProblemsError where the run would draw imported problems and there are none. */
export async function openCoding(request: WorldRequest, sources: CodingSources): Promise<OpenedWorld> {
  const problems = await problemsFor(request, sources)
  const startSupervised = () =>
    new SupervisedJudge({
      startWorker: () => sources.startJudge(),
      onLoss: (loss) => sources.onJudgeLoss(loss),
    })
  const judge = new JudgePool(Array.from({ length: sources.judges }, startSupervised))
  const environment = new CodingEnvironment({ judge, problems })
  const isImported = request.settings.problems === 'imported'
  return {
    environment,
    unitTests: environment,
    formatsFor: (pieces) =>
      formatsFor(pieces, isImported ? importedCodingFormats : codingFormats, async () => {
        const { instructAuthor, instructPolicy, instructReward } = await import('./roles/instruct-roles.ts')
        if (!isImported) return { policy: instructPolicy, reward: instructReward, author: instructAuthor }
        const { policy, reward, author } = importedCodingFormats
        return {
          policy: (pieces) => ({ ...instructPolicy(pieces), maxTokens: policy.maxTokens }),
          reward: (pieces) => ({ ...instructReward(pieces), maxTokens: reward.maxTokens }),
          author: (pieces) => ({ ...instructAuthor(pieces), maxTokens: author.maxTokens }),
        }
      }),
    grammars: async () => (await import('./roles/grammars.ts')).codingGrammars(request.settings),
    fixedTrajectories: async (text) => codingTrajectories(text),
    close: () => judge.close(),
  }
}

async function problemsFor({ settings, isResumed }: WorldRequest, sources: CodingSources): Promise<ProblemSource> {
  if (settings.problems === 'generated') return generatedProblems()
  const imported = await sources.listProblems()
  const isEvaluated = settings.evaluateEvery > 0 && settings.evaluationTasks > 0
  if (!isResumed && !imported.some(({ split }) => split === 'train')) {
    const lack = imported.length === 0 ? 'none are imported' : `none of the ${imported.length} is for training`
    throw new NoProblemsError(`The run uses imported problems, but ${lack}.`)
  }
  if (isResumed && isEvaluated && imported.length === 0) {
    throw new NoProblemsError('The run is evaluated on imported problems, but none are left.')
  }
  return importedProblems(imported)
}
