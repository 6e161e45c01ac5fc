import { describe, expect, it } from 'vitest'
import { generateProblem } from '../../../src/worlds/coding/problems/generator.ts'
import { parseRewrite } from '../../../src/worlds/coding/problems/rewrite-language.ts'
import { codingFormats } from '../../../src/worlds/coding/roles/plain-roles.ts'
import { programPieces, rewritePieces, testPieces } from '../../../src/pretraining/coding/corpus.ts'
import { codingEnvironmentHere } from '../../../src/pretraining/coding/measure.ts'
import { CODING_POLICY } from '../../../src/pretraining/coding/recipes.ts'
import { codingTraining } from '../../../src/pretraining/coding/trainings.ts'
import { codingTask } from './coding-task.ts'

const SEED = 3
const INDICES = Array.from({ length: 16 }, (_, index) => index)
const PROGRAMS = { slip: 0.5 }
const TESTS = { slip: 0.3, boundary: 0.5 }

/** The problem that demonstration `index` is about. */
const problemAt = (index: number) => generateProblem({ seed: SEED * 1_000_003 + index, split: 'train' })

describe('the coding corpora', () => {
  it('depend only on the seed', () => {
    const all = (seed: number) =>
      INDICES.slice(0, 4).map((index) => [
        programPieces(PROGRAMS, seed, index),
        testPieces(TESTS, seed, index),
        rewritePieces(seed, index),
      ])
    expect(all(SEED)).toEqual(all(SEED))
    expect(all(SEED)).not.toEqual(all(SEED + 1))
  })

  it('come round again after as many demonstrations as the recipe has', async () => {
    const { pieces } = await codingTraining('policy', SEED).phases[0]!.open([], () => {})
    expect(pieces(CODING_POLICY.demonstrations)).toEqual(pieces(0))
    expect(pieces(1)).not.toEqual(pieces(0))
  })

  it('contain programs that pass without slips, and fail with slips', async () => {
    const environment = codingEnvironmentHere()
    const wins = async (slip: number) => {
      const tasks = INDICES.map((index) => codingTask(problemAt(index), String(index)))
      await environment.reset(tasks.map((task) => ({ episodeId: task.id, task, maxSteps: 1 })))
      const results = await environment.step(
        tasks.map(({ id }, index) => {
          const [prompt, program] = programPieces({ slip }, SEED, index)
          expect(prompt!.text).toBe(codingFormats.policy.opening(problemAt(index).statement))
          expect(program!.isResponse).toBe(true)
          return { episodeId: id, command: codingFormats.policy.parse(program!.text).command }
        }),
      )
      return results.filter(({ won }) => won).length
    }
    expect(await wins(0)).toBe(INDICES.length)
    expect(await wins(1)).toBe(0)
  })

  it('contain tests that the role’s format reads, true without slips and false with slips', async () => {
    const truths = async (slip: number) => {
      const reports = await codingEnvironmentHere().runTests(
        INDICES.map((index) => {
          const { reasoning, test } = codingFormats.reward.parse(testPieces({ ...TESTS, slip }, SEED, index)[1]!.text)
          expect(reasoning).not.toBe('')
          return { task: codingTask(problemAt(index), String(index)), programs: [], tests: [test] }
        }),
      )
      return reports.flatMap(({ isTrue }) => isTrue)
    }
    expect(await truths(0)).toEqual(INDICES.map(() => true))
    expect(await truths(1)).toEqual(INDICES.map(() => false))
  })

  it('contain readable rewrites for the author, after a prompt in its format', () => {
    for (const index of INDICES) {
      const [prompt, rewrite] = rewritePieces(SEED, index)
      expect(prompt!.text).toMatch(/^(harder|easier) \d+\nWrite f[^]*\nCritic: [^]*\nRewrite:$/)
      expect(parseRewrite(codingFormats.author.parse(rewrite!.text))).not.toBeNull()
    }
  })
})
