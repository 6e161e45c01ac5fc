import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { typescriptFlags } from '../../scripts/ensure.mjs'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { writeTinyModels } from '../engines/tiny-folders.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shipped = join(root, 'public/models')
const SMALL = Object.entries({
  tasksPerIteration: 2,
  groupSize: 3,
  maxSteps: 4,
  evaluationsPerStep: 2,
  taskPoolSize: 3,
  rewriteAttempts: 2,
  evaluateEvery: 1,
  evaluationTasks: 2,
  // So few rollouts often agree; what is learned from then are the votes.
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
}).flatMap(([key, value]) => ['--set', `${key}=${value}`])

async function loop(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [...typescriptFlags(), 'src/cli/loop.ts', ...args]
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, command, { cwd: root })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

describe('the loop on the command line', { timeout: 300_000 }, () => {
  let folder: string
  let models: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loop-'))
    models = await writeTinyModels()
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
    rmSync(models, { recursive: true })
  })

  it('writes the same log for the same seed, byte for byte, and another for another seed', async () => {
    const run = (seed: number, file: string) =>
      loop('--models', shipped, '--seed', String(seed), '--iterations', '2', ...SMALL, '--out', join(folder, file))
    const [first, second] = await Promise.all([run(1, 'a.jsonl'), run(1, 'b.jsonl')])
    expect([first.stderr, first.code, second.code]).toEqual(['', 0, 0])
    const log = readFileSync(join(folder, 'a.jsonl'), 'utf8')
    expect(readFileSync(join(folder, 'b.jsonl'), 'utf8')).toBe(log)
    expect(log).not.toContain(folder)

    const events = parseRunLog(log)
    expect(events.filter((event) => event.type === 'iteration-finished')).toHaveLength(2)
    expect(events.some((event) => event.type === 'model-updated')).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
    expect(readFileSync(join(folder, 'a.timings.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)

    await run(2, 'c.jsonl')
    expect(readFileSync(join(folder, 'c.jsonl'), 'utf8')).not.toBe(log)
  })

  it('prints JSON lines of finite numbers alone when it is asked to, and saves checkpoints', async () => {
    const save = join(folder, 'saved')
    const { stdout } = await loop('--models', models, '--iterations', '1', ...SMALL, '--json', '--save', save)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, number>)
    expect(lines.map((line) => line['training/global_step'])).toEqual([0, 1, 1])
    expect(lines[0]).toHaveProperty(['eval/id/acc'])
    expect(lines[0]).toHaveProperty(['eval/ood/acc'])
    expect(lines[2]).toHaveProperty(['timing_s/step'])
    expect(lines.flatMap((line) => Object.values(line)).every(Number.isFinite)).toBe(true)
    expect(existsSync(join(save, 'policy.safetensors'))).toBe(true)
    expect(existsSync(join(save, 'reward.safetensors'))).toBe(true)
  })

  it('ends with code 2 and one line when an argument is wrong or the models are not there', async () => {
    const [wrong, nowhere] = await Promise.all([loop('--backend', 'abacus'), loop('--models', folder)])
    for (const { code, stdout, stderr } of [wrong, nowhere]) {
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1])
    }
    expect(wrong.stderr).toContain('cpu, webgpu')
    expect(nowhere.stderr).toContain('npm run pretrain')
  })
})
