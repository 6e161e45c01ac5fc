import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { loop, loopIntoHead, SMALL } from './loop-process.ts'

describe('the loop on the command line', () => {
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

  it('prints only JSON lines of finite numbers with --json, and saves checkpoints', async () => {
    const save = join(folder, 'saved')
    const { stdout, stderr } = await loop(
      ...['--models', models, '--iterations', '1', '--samplers', '1', ...SMALL, '--json', '--save', save],
    )
    expect(stderr).toMatch(/^Backend: (cpu|webgpu), because [^\n]+\.\n$/)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, number>)
    expect(lines.map((line) => line['training/global_step'])).toEqual([0, 1, 1])
    expect(lines[0]).toHaveProperty(['eval/id/acc'])
    expect(lines[0]).toHaveProperty(['eval/ood/acc'])
    expect(lines[2]).toHaveProperty(['timing_s/step'])
    expect(lines.flatMap((line) => Object.values(line)).every(Number.isFinite)).toBe(true)
    for (const file of ['policy/model.safetensors', 'reward/config.json', 'optimizer/reward.safetensors'])
      expect(existsSync(join(save, file)), file).toBe(true)
  })

  it('ends when its reader has gone, unless its log is kept', async () => {
    const args = ['--models', models, '--backend', 'cpu', '--iterations', '2', '--samplers', '1', ...SMALL]
    const out = join(folder, 'kept.jsonl')
    expect(await Promise.all([loopIntoHead(...args), loopIntoHead(...args, '--out', out)])).toEqual([130, 0])
    const events = parseRunLog(readFileSync(out, 'utf8'))
    expect(events.filter(({ type }) => type === 'iteration-finished')).toHaveLength(2)
  })

  it.runIf(process.platform === 'linux')('says without an adapter how to run on the CPU', async () => {
    vi.stubEnv('VK_ICD_FILENAMES', '/dev/null')
    const { code, stderr } = await loop('--backend', 'webgpu', '--models', models)
    vi.unstubAllEnvs()
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^--backend webgpu: [^\n]* Install or update the graphics driver, or use --backend cpu\.\n$/,
      ),
    ])
  })

  it('reports before loading that a model cannot learn, and what to change', async () => {
    const { code, stderr } = await loop(...['--policy-model', 'openai:http://127.0.0.1:9/v1#m'], '--models', models)
    expect([code, stderr]).toEqual([
      2,
      'The policy model should learn but cannot. A server with OpenAI’s interface samples but does not train. Switch ' +
        'trainPolicy off, or choose a built-in model, a checkpoint or a Tinker server.\n',
    ])
  })
})
