/** Chat models from Hugging Face folders in every role, in the built workers of a real browser, on its CPU backend. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { preview, type PreviewServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../src/method/ports.ts'
import type { CheckpointSource } from '../../src/roles/source.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { isLogged, type RunEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { RunMessage, StartRequest } from '../../src/sessions/loop-service.ts'
import { writeInstructFolder } from '../engines/transformer/instruct-folder.ts'
import { useBrowser } from './harness.ts'

const assets = fileURLToPath(new URL('../../dist/assets', import.meta.url))
const comlink = fileURLToPath(import.meta.resolve('comlink'))
const FOLDER = 'a chat model'
const ADAPTERS: CheckpointSource['adapters'] = { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj', 'v_proj'] }

type Reply = { ok: true } | { ok: false; error: { message: string } }
interface PageScope {
  Comlink: {
    wrap(worker: Worker): { call(id: number, method: string, signal: number, ...args: unknown[]): Promise<Reply> }
    proxy<Value>(value: Value): Value
  }
}

/** Calls the loop's worker and listens until its run has ended, or, like a tab that is closed, until an iteration has begun. */
function hearRun(
  page: Page,
  method: 'start' | 'resumeRun',
  argument: StartRequest | string,
  until = Infinity,
): Promise<RunMessage[]> {
  const file = readdirSync(assets).find((asset) => /^loop\.worker-[\w-]+\.js$/.test(asset))
  return page.evaluate(
    async ([address, name, given, last]) => {
      const { Comlink } = globalThis as unknown as PageScope
      const worker = new Worker(address, { type: 'module' })
      const loop = Comlink.wrap(worker)
      const heard: RunMessage[] = []
      try {
        await new Promise<void>((resolve, reject) => {
          const onMessage = (message: RunMessage) => {
            heard.push(message)
            if (message.type === 'status' && ['finished', 'failed'].includes(message.status.state)) resolve()
            const begun = message.type === 'events' ? message.batch : []
            if (begun.some((event) => event.type === 'iteration-started' && event.iteration === last)) resolve()
          }
          void loop.call(0, 'listen', -1, Comlink.proxy(onMessage))
          loop.call(1, name, -1, given).then((reply) => {
            if (!reply.ok) reject(new Error(reply.error.message))
          }, reject)
        })
      } finally {
        worker.terminate()
      }
      return heard
    },
    [`./assets/${file}`, method, argument, until] as const,
  )
}

/** Bytes of the run's last checkpoint, by role. */
function lastCheckpoint(page: Page): Promise<{ iteration: number; policy: number[]; reward: number[] }> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('rlanything-playground')
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(new Error('no database'))
    })
    const reading = database.transaction('checkpoints').objectStore('checkpoints').getAll()
    const all = await new Promise<{ iteration: number; policy: Uint8Array; reward: Uint8Array }[]>((resolve) => {
      reading.onsuccess = () => resolve(reading.result as never)
    })
    database.close()
    const last = all.at(-1)!
    return { iteration: last.iteration, policy: Array.from(last.policy), reward: Array.from(last.reward) }
  })
}

const eventsOf = (messages: readonly RunMessage[]) =>
  messages.flatMap((message): RunEvent[] => (message.type === 'events' ? message.batch : [])).filter(isLogged)

describe('chat models in a browser', () => {
  const open = useBrowser()
  let folder: string
  let files: Record<string, Uint8Array>
  let server: PreviewServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'instruct-'))
    files = await writeInstructFolder(join(folder, FOLDER))
    server = await preview({
      configFile: false,
      logLevel: 'silent',
      build: { outDir: folder },
      preview: { host: '127.0.0.1', port: 4450, strictPort: false, cors: true },
    })
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  it('train adapters for an iteration, from an address and from a stored folder, and continue after it', async () => {
    const { page, errors } = await open()
    await page.addScriptTag({ path: comlink })
    const bytes = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Array.from(content)]))
    await page.evaluate(
      async ([name, contents]) => {
        const root = await navigator.storage.getDirectory()
        const folders = await root.getDirectoryHandle('model-folders', { create: true })
        const own = await folders.getDirectoryHandle(encodeURIComponent(name), { create: true })
        for (const [file, content] of Object.entries(contents)) {
          const writable = await (await own.getFileHandle(file, { create: true })).createWritable()
          await writable.write(Uint8Array.from(content))
          await writable.close()
        }
      },
      [FOLDER, bytes] as const,
    )
    const address = `${server.resolvedUrls?.local[0] ?? ''}${encodeURIComponent(FOLDER)}`
    const source = (location: string): CheckpointSource => ({
      ...{ kind: 'checkpoint', location, adapters: ADAPTERS, storage: 'float32', contextWindow: 4096, sampler: null },
    })
    const models: Record<Role, CheckpointSource> = {
      policy: source(address),
      reward: source(`local:${FOLDER}`),
      author: source(address),
    }
    const request: StartRequest = {
      runId: 'chat',
      preset: 'household',
      settings: {
        ...presetSettings('household'),
        ...{ seed: 3, tasksPerIteration: 1, taskPoolSize: 2, groupSize: 4, maxSteps: 2, evaluationsPerStep: 3 },
        ...{ rewriteAttempts: 1, evaluateEvery: 0, policyAccuracyLow: 0, policyAccuracyHigh: 1 },
        ...{ rewardAccuracyLow: 0, rewardAccuracyHigh: 1 },
      },
      iterations: 2,
      backend: 'cpu',
      models,
    }
    const events = eventsOf(await hearRun(page, 'start', request, 2)).filter((event) => event.iteration < 2)
    expect(events[0]).toMatchObject({ type: 'run-started', models: { reward: FOLDER } })
    expect(events.flatMap((event) => (event.type === 'model-updated' ? [event.role] : []))).toEqual([
      'policy',
      'reward',
    ])

    // Only adapters and their moments change, so only these are saved.
    const kept = await lastCheckpoint(page)
    expect(kept.iteration).toBe(1)
    for (const checkpoint of [kept.policy, kept.reward]) {
      const { tensors } = readSafetensors(Uint8Array.from(checkpoint), 'checkpoint')
      expect([...tensors.keys()].every((name) => name.includes('.lora_'))).toBe(true)
      const ups = [...tensors].filter(([name]) => /^base_model\..*lora_B/.test(name))
      expect(ups).toHaveLength(4)
      expect(ups.every(([, { values }]) => values.some((value) => value !== 0))).toBe(true)
    }

    const second = await hearRun(page, 'resumeRun', 'chat')
    expect(second.at(-1)).toMatchObject({ type: 'status', status: { state: 'finished', reason: 'completed' } })
    const finished = eventsOf(second).filter((event) => event.type === 'iteration-finished')
    expect(finished.map(({ iteration }) => iteration)).toEqual([1, 2])
    expect((await lastCheckpoint(page)).policy).not.toEqual(kept.policy)
    expect(errors).toEqual([])
  })

  it('are refused by name if the folder no longer exists', async () => {
    const { page } = await open()
    await page.addScriptTag({ path: comlink })
    const messages = await hearRun(page, 'start', {
      runId: 'gone',
      preset: 'household',
      settings: presetSettings('household'),
      iterations: 1,
      backend: 'cpu',
      models: {
        author: {
          ...{ kind: 'checkpoint', location: 'local:gone', adapters: ADAPTERS, storage: 'float32' },
          ...{ contextWindow: null, sampler: null },
        },
      },
    })
    expect(messages.at(-1)).toMatchObject({
      status: {
        state: 'failed',
        failure: { why: expect.stringMatching(/folder "gone" is no longer in this browser/) as string },
      },
    })
  })
})
