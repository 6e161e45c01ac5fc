/**
 * Advantages of the released AlfWorld code, case by case. The vectors are not part of the project: the test reads
 * `../shared/vectors` beside the repository and the folder VECTORS_DIR, and is skipped without either.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { groupAdvantages } from '../../src/method/step-judging/advantages.ts'
import type { Outcome, Score } from '../../src/method/ports.ts'
import { parseSettings } from '../../src/method/presets.ts'

interface VectorCase {
  seed: number
  groupSize: number
  evaluations: number
  lambda?: number
  tasks: { outcomes: Outcome[]; scores: Score[][][] }[]
  policyAdvantages: number[][]
  rewardAdvantages: number[][]
}

const TOLERANCE = 1e-9
const folders = [resolve(import.meta.dirname, '../../../shared/vectors'), process.env['VECTORS_DIR']].filter(
  (folder) => folder !== undefined && folder !== '' && existsSync(folder),
) as string[]
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /^rlanything-alfworld.*\.json$/u.test(name))
    .sort()
    .map((name) => join(folder, name)),
)
const cases = files.flatMap((file) =>
  (JSON.parse(readFileSync(file, 'utf8')) as VectorCase[]).map((vector, index) => ({ file, index, vector })),
)

function rowsOf(vector: VectorCase): { policy: number[][]; reward: number[][] } {
  const settings = parseSettings({ lambda: vector.lambda }, 'reference')
  const policy: number[][] = []
  const reward: number[][] = []
  vector.tasks.forEach(({ outcomes, scores }, task) => {
    const group = groupAdvantages(
      outcomes.map((outcome, rollout) => ({ outcome, scores: scores[rollout] ?? [] })),
      settings,
    )
    group.policy.forEach((steps, rollout) =>
      steps.forEach((advantage, step) => {
        if (advantage !== null) policy.push([task, rollout, step, advantage])
      }),
    )
    group.reward.forEach((steps, rollout) =>
      steps.forEach((evaluations, step) =>
        evaluations.forEach((advantage, evaluation) => {
          if (advantage !== null) reward.push([task, rollout, step, evaluation, advantage])
        }),
      ),
    )
  })
  return { policy, reward }
}

function expectRows(actual: number[][], expected: number[][]): void {
  expect(actual.map((row) => row.slice(0, -1))).toEqual(expected.map((row) => row.slice(0, -1)))
  actual.forEach((row, index) => {
    const wanted = expected[index]?.at(-1) ?? Number.NaN
    expect(Math.abs((row.at(-1) ?? Number.NaN) - wanted), `row ${index}`).toBeLessThanOrEqual(TOLERANCE)
  })
}

const skipReason = 'no rlanything-alfworld*.json in ../shared/vectors or VECTORS_DIR'
if (cases.length === 0) process.stdout.write(`Released-code vectors skipped: ${skipReason}.\n`)
else process.stdout.write(`Released-code vectors: checking ${cases.length} cases from ${files.length} file(s).\n`)

describe('the reference profile reproduces the released AlfWorld advantages to 1e-9', () => {
  if (cases.length === 0) {
    it.skip(`skipped: ${skipReason}`, () => {})
    return
  }
  it.each(cases.map((entry) => [`${entry.file.split('/').at(-1)} case ${entry.index}`, entry.vector] as const))(
    '%s',
    (_name, vector) => {
      const { policy, reward } = rowsOf(vector)
      expectRows(policy, vector.policyAdvantages)
      expectRows(reward, vector.rewardAdvantages)
    },
  )
})
