/** Where the problems of a run come from: the generator, or the imported problems. */
import type { Split } from '../../method/ports.ts'
import { hashOf, seededRandom, shuffled } from '../random.ts'
import type { CodingTask } from './problem.ts'
import { generateTask } from './problems/generator.ts'

export interface ProblemSource {
  /**
   * Draws `count` different problems of a split, or all if there are fewer. Depends only on the seed. An imported list may have
   * no problems for evaluation; throws a NoProblemsError if it has none for training.
   */
  draw(split: Split, count: number, seed: number): Promise<CodingTask[]>
}

/** Attempts per requested problem before concluding that the generator has no more different ones. */
const DRAWS_EACH = 50

export function generatedProblems(): ProblemSource {
  return {
    async draw(split, count, seed) {
      const byStatement = new Map<string, CodingTask>()
      for (let index = 0; byStatement.size < count && index < count * DRAWS_EACH; index++) {
        const task = generateTask({ seed: hashOf('problem', seed, index), split })
        if (!byStatement.has(task.body.statement)) byStatement.set(task.body.statement, task)
      }
      return [...byStatement.values()]
    },
  }
}

/** A problem of a file, with its split. */
export interface ImportedProblem {
  split: Split
  task: CodingTask
}

/** There are no problems for training. */
export class NoProblemsError extends Error {
  override readonly name = 'NoProblemsError'
}

/** Draws without replacement. The order of imports does not matter, and a problem in two files counts once. */
export function importedProblems(problems: readonly ImportedProblem[]): ProblemSource {
  const byId = new Map(problems.map((problem) => [problem.task.id, problem]))
  const ids = [...byId.keys()].sort()
  return {
    async draw(split, count, seed) {
      const ofSplit = ids.filter((id) => byId.get(id)!.split === split)
      if (ofSplit.length === 0 && split === 'train') {
        throw new NoProblemsError(
          ids.length === 0
            ? 'No problems were imported. Import a file of problems, or set problems to generated.'
            : `None of the ${ids.length} imported problems is for training. Import more, or add "split": "train" to some of the file.`,
        )
      }
      return shuffled(seededRandom('imported problems', split, seed), ofSplit)
        .slice(0, count)
        .map((id) => byId.get(id)!.task)
    },
  }
}
