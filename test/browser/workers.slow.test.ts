/**
 * The built workers in a real browser: each loads and replies, and the loop's worker runs an iteration with the other
 * four.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { preview, type PreviewServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLogged, type RunEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import { forRoles } from '../../src/method/ports.ts'
import { keptSource } from '../../src/roles/source.ts'
import type { RunMessage, StartRequest } from '../../src/sessions/loop-service.ts'
import { judgesFor } from '../../src/worlds/coding/judge/judge-pool.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { useBrowser } from './harness.ts'

const assets = fileURLToPath(new URL('../../dist/assets', import.meta.url))
const comlink = fileURLToPath(import.meta.resolve('comlink'))

/** Address of a built worker, relative to the page. */
function builtWorker(name: string): string {
  const file = readdirSync(assets).find((asset) => new RegExp(`^${name}\\.worker-[\\w-]+\\.js$`).test(asset))
  if (file === undefined) throw new Error(`The build has no worker "${name}".`)
  return `./assets/${file}`
}

/** Files of a chunk that built files import, each once. */
function chunksNamedIn(files: readonly string[], chunk: string): string[] {
  const name = new RegExp(`\\b${chunk}-[\\w-]+\\.js`, 'g')
  return [...new Set(files.flatMap((file) => readFileSync(join(assets, file), 'utf8').match(name) ?? []))]
}

/** The part of Comlink's page script that the tests use. */
interface PageScope {
  Comlink: {
    wrap(worker: Worker): {
      call(...args: unknown[]): Promise<{ ok: boolean; value?: unknown; error?: { message: string } }>
    }
    proxy<Callback>(callback: Callback): Callback
  }
  messages: RunMessage[]
}

/** Calls one method of a new worker, then terminates it. */
function callOnce(page: Page, worker: string, method: string, ...args: unknown[]) {
  return callInOrder(page, worker, [method, ...args])
}

/** Calls methods of a new worker in order, terminates it, and returns the last reply. */
function callInOrder(page: Page, worker: string, ...calls: [method: string, ...args: unknown[]][]) {
  return page.evaluate(
    async ([address, wanted]) => {
      const { Comlink } = globalThis as unknown as PageScope
      const started = new Worker(address, { type: 'module' })
      const failed = new Promise<never>((_, reject) => {
        started.onerror = (event) => reject(new Error(event.message))
      })
      try {
        const service = Comlink.wrap(started)
        let reply: Awaited<ReturnType<typeof service.call>> = { ok: false }
        for (const [id, [name, ...rest]] of wanted.entries())
          reply = await Promise.race([failed, service.call(id, name, -1, ...rest)])
        return reply
      } finally {
        started.terminate()
      }
    },
    [builtWorker(worker), calls] as const,
  )
}

describe('the workers in a browser', () => {
  const open = useBrowser()
  let models: string
  let modelServer: PreviewServer
  let modelAddress: string
  beforeAll(async () => {
    models = await writeTinyModels()
    modelServer = await preview({
      configFile: false,
      logLevel: 'silent',
      build: { outDir: models },
      preview: { host: '127.0.0.1', port: 4400, strictPort: false, cors: true },
    })
    modelAddress = modelServer.resolvedUrls?.local[0] ?? ''
  })
  afterAll(async () => {
    await modelServer.close()
    rmSync(models, { recursive: true })
  })

  it('load what only WebGPU needs on demand', () => {
    const worker = builtWorker('model').slice('./assets/'.length)
    // From backends/webgpu/register.ts.
    const [webGpu, ...others] = chunksNamedIn([worker], 'register')
    expect(others).toEqual([])
    expect(statSync(join(assets, webGpu!)).size).toBeGreaterThan(400_000)
    expect(statSync(join(assets, worker)).size).toBeLessThan(800_000)
  })

  it.each(['policy', 'reward', 'author'])('model loads the %s and replies', async (role) => {
    const { page } = await open()
    await page.addScriptTag({ path: comlink })
    const location = `${modelAddress}household-${role}`
    const reply = await callOnce(page, 'model', 'load', { location, backend: 'cpu' })
    expect(reply).toMatchObject({ ok: true, value: { maxPositions: 8192 } })
  })

  it('environment samples tasks after it is opened with the settings of a run', async () => {
    const { page } = await open()
    await page.addScriptTag({ path: comlink })
    const sample: [string, ...unknown[]] = ['sampleTasks', 'train', 2, 7]
    const unopened = await callInOrder(page, 'environment', sample)
    expect(unopened.error?.message).toMatch(/has not been opened/)
    const settings = presetSettings('household')
    const reply = await callInOrder(page, 'environment', ['open', { settings, isResumed: false }], sample)
    expect(reply.value).toHaveLength(2)
  })

  it('report a missing model with what to do', async () => {
    const { page } = await open()
    await page.addScriptTag({ path: comlink })
    const reply = await callOnce(page, 'model', 'load', {
      location: `${modelAddress}nothing/at/all.x`,
      backend: 'cpu',
    })
    expect(reply.ok).toBe(false)
    expect(reply.error?.message).toMatch(/nothing/)
  })

  /** Starts a run in the loop's worker and listens until it has ended. */
  function runToEnd(page: Page, request: StartRequest): Promise<RunMessage[]> {
    return page.evaluate(
      async ([address, start]) => {
        const { Comlink } = globalThis as unknown as PageScope
        const loop = Comlink.wrap(new Worker(address, { type: 'module' }))
        const heard: RunMessage[] = []
        await new Promise<void>((resolve, reject) => {
          const onMessage = (message: RunMessage) => {
            heard.push(message)
            if (message.type === 'status' && ['finished', 'failed'].includes(message.status.state)) resolve()
          }
          void loop.call(0, 'listen', -1, Comlink.proxy(onMessage))
          loop.call(1, 'start', -1, start).then((reply) => {
            if (!reply.ok) reject(new Error(reply.error?.message))
          }, reject)
        })
        return heard
      },
      [builtWorker('loop'), request] as const,
    )
  }

  const tinyModels = (world: Settings['world']) => forRoles((role) => keptSource(`${modelAddress}${world}-${role}`))

  const loggedOf = (messages: readonly RunMessage[]) =>
    messages
      .flatMap((message): RunEvent[] => (message.type === 'events' ? message.batch : []))
      .filter((event) => isLogged(event))

  const isOfJudge = (address: string) => /\/(judge\.worker|emscripten-module)-[\w-]+\.(js|wasm)$/.test(address)

  it('loop runs a small iteration, streams its events in order, and stores the run', async () => {
    const { page, errors } = await open()
    const ofJudge: string[] = []
    page.on('request', (asked) => {
      if (isOfJudge(asked.url())) ofJudge.push(asked.url())
    })
    await page.addScriptTag({ path: comlink })
    const messages = await runToEnd(page, {
      runId: 'test-run',
      preset: 'household',
      settings: {
        ...presetSettings('household'),
        tasksPerIteration: 1,
        taskPoolSize: 2,
        groupSize: 2,
        maxSteps: 3,
        evaluationsPerStep: 1,
        rewriteAttempts: 1,
        evaluateEvery: 0,
      },
      iterations: 1,
      models: tinyModels('household'),
    })
    expect(messages.at(-1)).toMatchObject({ type: 'status', status: { state: 'finished', reason: 'completed' } })
    const logged = loggedOf(messages)
    expect(logged.map((event) => event.seq)).toEqual(logged.map((_, index) => index))
    expect(logged.map((event) => event.type)).toContain('iteration-finished')
    expect(messages.filter((message) => message.type === 'notice')).toEqual([])
    expect(errors).toEqual([])
    expect(ofJudge).toEqual([])

    const kept = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open('rlanything-playground')
        opening.onsuccess = () => resolve(opening.result)
        opening.onerror = () => reject(new Error('no database'))
      })
      const reading = database.transaction('runs').objectStore('runs').getAll()
      return new Promise<unknown[]>((resolve) => {
        reading.onsuccess = () => resolve(reading.result as unknown[])
      })
    })
    expect(kept).toMatchObject([{ runId: 'test-run', isFinished: true, finishedIterations: 1 }])
  })

  it('loop has programs judged, and continues if the judge’s worker dies', async () => {
    const { page, errors } = await open()
    const ofJudge: string[] = []
    page.on('request', (asked) => {
      if (isOfJudge(asked.url())) ofJudge.push(asked.url())
    })
    let judges = 0
    page.on('worker', (worker) => {
      if (!isOfJudge(worker.url()) || judges++ > 0) return
      void worker.evaluate(() => {
        setTimeout(() => {
          throw new Error('A fault of the test.')
        }, 20)
      })
    })
    await page.addScriptTag({ path: comlink })
    const messages = await runToEnd(page, {
      runId: 'test-run',
      preset: 'coding',
      settings: {
        ...presetSettings('coding'),
        taskPoolSize: 64,
        tasksPerIteration: 64,
        groupSize: 8,
        evaluateEvery: 0,
      },
      iterations: 1,
      models: tinyModels('coding'),
    })
    expect(messages.at(-1)).toMatchObject({ type: 'status', status: { state: 'finished', reason: 'completed' } })
    expect(messages.flatMap((message) => (message.type === 'notice' ? [message.text] : []))).toEqual([
      expect.stringMatching(/^The judge’s worker stopped \(.*A fault of the test\.\)/) as string,
    ])
    // One takes the place of the first.
    expect(judges).toBe(judgesFor(await page.evaluate(() => navigator.hardwareConcurrency)) + 1)
    expect(ofJudge.filter((address) => address.endsWith('.wasm')).length).toBeGreaterThan(0)
    expect(errors).toEqual([])

    const logged = loggedOf(messages)
    expect(logged[0]).toMatchObject({ settings: { world: 'coding' }, models: { policy: 'coding-policy' } })
    expect(logged.filter((event) => event.type === 'tests-written')).toHaveLength(64)
    const steps = logged.flatMap((event) => (event.type === 'episode' ? event.steps : []))
    expect(steps).toHaveLength(64 * 8)
    expect(steps.every(({ tests }) => tests !== undefined && tests.length > 0)).toBe(true)
    const lost = steps.filter(({ tests }) => tests!.some(({ detail }) => detail.includes('it broke the thread')))
    expect(new Set(lost.map(({ command }) => command)).size).toBeLessThanOrEqual(1)
  })

  it('loop reports missing problems if imported ones are requested and there are none', async () => {
    const { page } = await open()
    await page.addScriptTag({ path: comlink })
    const settings = { ...presetSettings('coding'), problems: 'imported' as const }
    const messages = await runToEnd(page, { runId: 'test-run', preset: 'coding', settings, iterations: 1 })
    expect(messages.at(-1)).toMatchObject({
      status: { state: 'failed', failure: { what: 'The coding problems could not be opened.' } },
    })
  })
})
