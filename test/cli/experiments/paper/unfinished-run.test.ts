import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readLog, UnfinishedRun } from '../../../../src/cli/experiments/paper/unfinished-run.ts'
import type { LoggedBody, LoggedEvent } from '../../../../src/method/events.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { stateEvent } from '../../../../src/runs/state-event.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unfinished-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const events = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: to - from }, (_, i): LoggedEvent => {
    const body: LoggedBody = { type: 'iteration-finished', metrics: { 'policy/acc': 0.5 } }
    return { ...body, seq: from + i, iteration: from + i }
  })

const episode: LoggedEvent = {
  type: 'episode',
  split: 'train',
  outcome: 1,
  ...{ episodeId: 'e', taskId: 't', rollout: 0, policyVersion: 0, seq: 0, iteration: 1 },
  ...{ instruction: 'do', opening: 'You are here.' },
  steps: [
    {
      trueLabel: 1,
      ...{ response: 'look', thought: '', command: 'look', observation: 'A room.', distance: 1 },
      ...{ tokens: [1, 2], logProbs: [-1, -2], entropies: [0.1, 0.2] },
    },
  ],
}

const checkpoint = (iteration: number, eventCount: number) => ({
  ...{ runId: 'run', iteration, eventCount },
  policy: Uint8Array.of(iteration),
  reward: Uint8Array.of(iteration, 0),
})

describe('an unfinished run', () => {
  it('continues at its last checkpoint: its models, and the log as it was then', async () => {
    const run = new UnfinishedRun(folder, () => 12, 'first')
    await run.create()
    await run.append('run', events(0, 2))
    await run.saveCheckpoint(checkpoint(2, 2))
    await run.append('run', events(2, 5))
    await run.saveCheckpoint(checkpoint(5, 5))
    await run.append('run', events(5, 7))
    // The kill came in the middle of a line.
    await appendFile(run.logPath, '{"type":"iteration-fin')

    const continued = (await new UnfinishedRun(folder, () => 0, 'first').resume())!
    expect(continued.history).toEqual(events(0, 5).map(stateEvent))
    expect(continued.checkpoint).toMatchObject({ runId: 'run', iteration: 5, eventCount: 5 })
    expect([...continued.checkpoint.policy]).toEqual([5])
    expect([...continued.checkpoint.reward]).toEqual([5, 0])
    expect(continued.seconds).toBe(12)
    expect(await readRunLog(run.logPath)).toEqual(events(0, 5))
    expect((await readdir(folder)).sort()).toEqual(['5.policy', '5.reward', 'checkpoint.json', 'log.jsonl'])
  })

  it('knows every state of the code that made a part of it', async () => {
    const made = new UnfinishedRun(folder, () => 0, 'first')
    await made.create()
    await made.append('run', events(0, 2))
    await made.saveCheckpoint(checkpoint(2, 2))
    const same = new UnfinishedRun(folder, () => 0, 'first')
    await same.resume()
    expect(same.commits).toEqual(['first'])
    const second = new UnfinishedRun(folder, () => 0, 'second')
    await second.resume()
    await second.append('run', events(2, 4))
    await second.saveCheckpoint(checkpoint(4, 4))
    const third = new UnfinishedRun(folder, () => 0, 'third')
    await third.resume()
    expect(third.commits).toEqual(['first', 'second', 'third'])
    // As earlier versions wrote it.
    await writeFile(join(folder, 'checkpoint.json'), '{"runId":"run","iteration":4,"eventCount":4,"seconds":1}')
    const fourth = new UnfinishedRun(folder, () => 0, 'fourth')
    expect(await fourth.resume()).not.toBeNull()
    expect(fourth.commits).toEqual(['unknown', 'fourth'])
  })

  it('starts again without a checkpoint, or with a damaged one', async () => {
    const run = new UnfinishedRun(folder, () => 0, 'first')
    expect(await run.resume()).toBeNull()
    await run.create()
    await run.append('run', events(0, 3))
    expect(await run.resume()).toBeNull()
    // The log is shorter than its checkpoint.
    await run.saveCheckpoint(checkpoint(9, 9))
    expect(await run.resume()).toBeNull()
    for (const text of ['{}', '', '{"runId":']) {
      await writeFile(join(folder, 'checkpoint.json'), text)
      expect(await run.resume()).toBeNull()
    }
    await run.saveCheckpoint(checkpoint(2, 2))
    expect(await run.resume()).not.toBeNull()
    const log = await readFile(run.logPath, 'utf8')
    await writeFile(run.logPath, log.replace('"seq":1', '\0\0\0\0'))
    expect(await run.resume()).toBeNull()
    await rm(run.logPath)
    expect(await run.resume()).toBeNull()
  })

  it('keeps what a person can read of an episode, and reads it from a packed log, too', async () => {
    const run = new UnfinishedRun(folder, () => 0, 'first')
    await run.create()
    await run.append('run', [episode])
    const [kept] = await readRunLog(run.logPath)
    expect(kept).toMatchObject({ opening: 'You are here.', steps: [{ command: 'look', tokens: [], logProbs: [] }] })
    await writeFile(join(folder, 'log.jsonl.gz'), gzipSync(await readFile(run.logPath)))
    expect(await readRunLog(join(folder, 'log.jsonl.gz'))).toEqual([kept])
    for (const path of [run.logPath, join(folder, 'log.jsonl.gz')]) {
      const read: LoggedEvent[] = []
      for await (const part of readLog(path)) read.push(...part)
      expect(read).toEqual([kept])
    }
  })
})
