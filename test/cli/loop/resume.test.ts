import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/cli/arguments.ts'
import { parseLoopArguments } from '../../../src/cli/loop/arguments.ts'
import { findCheckpoint } from '../../../src/cli/loop/resume.ts'
import type { LoggedEvent, WorldFile } from '../../../src/method/events.ts'
import { writeCheckpointFolder, type RunInputs } from '../../../src/runs/checkpoint-folder.ts'
import { serialiseRunLog } from '../../../src/runs/run-log.ts'
import { readModule } from '../../../src/worlds/own/module.ts'
import { worldOf } from '../../worlds/own/worlds.ts'

let folder: string
let out: string
let save: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'resume-'))
  out = join(folder, 'run.jsonl')
  save = join(folder, 'saved')
})
afterEach(() => rmSync(folder, { recursive: true }))

const find = (args: string[], worldFile?: WorldFile, inputs: RunInputs = {}) =>
  findCheckpoint('r', parseLoopArguments(args)!, { inputs, worldFile })

/** A log up to the end of its first iteration. */
function logOf(worldFile?: WorldFile): LoggedEvent[] {
  const { settings, preset } = parseLoopArguments([])!
  const models = { policy: 'p', reward: 'r', author: 'a' }
  const started = { type: 'run-started' as const, runId: 'r', settings, preset, backend: 'cpu', models }
  return [
    { ...started, ...(worldFile && { worldFile }), seq: 0, iteration: 0 },
    { type: 'iteration-finished', metrics: {}, seq: 1, iteration: 1 },
  ]
}

async function keepRun(worldFile?: WorldFile, inputs: RunInputs = {}): Promise<void> {
  const events = logOf(worldFile)
  writeFileSync(out, serialiseRunLog(events))
  const checkpoint = { runId: 'r', iteration: 1, eventCount: events.length }
  const none = new Uint8Array(0)
  await writeCheckpointFolder(
    save,
    { ...checkpoint, policy: none, reward: none },
    { policy: null, reward: null },
    inputs,
  )
}

describe('a run that starts', () => {
  it('refuses a log that is there already', async () => {
    expect(await find(['--out', out])).toBeNull()
    writeFileSync(out, '')
    expect(await find(['--out', out])).toBeNull()
    writeFileSync(out, '{}')
    await expect(find(['--out', out])).rejects.toThrow(
      `--out: ${out} exists already. Continue its run with --resume, or name another file with --out.`,
    )
  })

  it('refuses the checkpoint of another run', async () => {
    await keepRun()
    const before = readFileSync(join(save, 'checkpoint.json'))
    const refusal = `--save: ${save} has the checkpoint of a run. Continue that run with --resume, or name another folder`
    await expect(find(['--out', join(folder, 'new.jsonl'), '--save', save])).rejects.toThrow(refusal)
    await expect(find(['--save', save])).rejects.toThrow(refusal)
    expect(readFileSync(join(save, 'checkpoint.json'))).toEqual(before)
    renameSync(join(save, 'checkpoint.json'), join(folder, 'checkpoint.json'))
    mkdirSync(join(save, '.written'))
    renameSync(join(folder, 'checkpoint.json'), join(save, '.written', 'checkpoint.json'))
    await expect(find(['--save', save])).rejects.toThrow(refusal)
    mkdirSync(join(folder, 'empty'))
    expect(await find(['--save', join(folder, 'empty')])).toBeNull()
  })

  it('refuses a folder that it could not write, or whose models it would overwrite', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await expect(find(['--save', file])).rejects.toThrow(`--save: ${file} is a file.`)
    mkdirSync(join(folder, 'models', 'policy'), { recursive: true })
    await expect(find(['--save', join(folder, 'models')])).rejects.toThrow('but a folder "policy"')
    expect(await find(['--save', join(folder, 'new')])).toBeNull()
    expect(existsSync(join(folder, 'new'))).toBe(true)
  })
})

describe('--resume', () => {
  const resume = (world?: WorldFile) => find(['--out', out, '--save', save, '--resume'], world)

  it('starts a run that was killed before its first checkpoint', async () => {
    expect(await resume()).toBeNull()
    writeFileSync(out, '')
    expect(await resume()).toBeNull()
    writeFileSync(out, `${serialiseRunLog(logOf().slice(0, 1))}{"type":"task-ad`)
    expect(await resume()).toBeNull()
  })

  it('keeps a log with iterations if --save names a folder without its checkpoint', async () => {
    await keepRun()
    save = join(folder, 'mistyped')
    await expect(resume()).rejects.toThrow(
      `--resume: ${out} has finished iterations, but ${save} has no checkpoint. Name the --save folder of that run`,
    )
    writeFileSync(out, 'Notes.\n')
    await expect(resume()).rejects.toThrow('Run log, line 1')
  })

  it('refuses other models and tasks than the run was given', async () => {
    const inputs = { 'policy adapters': 'rank=2,alpha=4', problems: 'sha256:1' }
    await keepRun(undefined, inputs)
    const given = (other: RunInputs) => find(['--out', out, '--save', save, '--resume'], undefined, other)
    expect(await given(inputs)).toMatchObject({ started: { runId: 'r' } })
    await expect(given({ ...inputs, 'policy adapters': 'rank=2,alpha=400' })).rejects.toThrow(
      '--resume: the run has policy adapters rank=2,alpha=4, and these arguments give rank=2,alpha=400.',
    )
    await expect(given({ 'policy adapters': 'rank=2,alpha=4' })).rejects.toThrow('these arguments give none')
  })

  it('compares no models and tasks with a checkpoint from before these were kept', async () => {
    await keepRun()
    const index = join(save, 'checkpoint.json')
    const { inputs, ...older } = JSON.parse(readFileSync(index, 'utf8')) as Record<string, unknown>
    expect(inputs).toEqual({})
    writeFileSync(index, JSON.stringify(older))
    const args = ['--out', out, '--save', save, '--resume']
    expect(await find(args, undefined, { problems: 'sha256:1' })).toMatchObject({ started: { runId: 'r' } })
  })

  it('refuses a mistyped --out beside a checkpoint', async () => {
    await keepRun()
    out = join(folder, 'mistyped.jsonl')
    await expect(resume()).rejects.toThrow(ArgumentError)
    await expect(resume()).rejects.toThrow(`--resume: ${out} does not exist or is empty, so it is not the log`)
  })

  it('continues in the same world, also if its comments and types have changed, and in no other', async () => {
    const moduleOf = (source: string) => ({ name: 'Numbers', ...readModule(source, 'world.ts') })
    const world = moduleOf(worldOf())
    await keepRun(world)
    expect(await resume(world)).toMatchObject({ started: { runId: 'r' } })
    const commented = moduleOf(worldOf({}, '// What is played.\ntype Task = { number: number }\n'))
    expect(commented.hash).not.toBe(world.hash)
    expect(await resume(commented)).toMatchObject({ started: { runId: 'r' } })
    const refusal = /^--resume: the run plays in world\.ts \(version/
    await expect(resume(moduleOf(worldOf({ rules: `'Another.'` })))).rejects.toThrow(refusal)
    await expect(resume()).rejects.toThrow(refusal)
  })
})
