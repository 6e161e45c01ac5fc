/**
 * Runs on the page whose models WebLLM samples, on Chromium's software adapter: the built-in ones, and a researcher's own.
 * WEBLLM_LOGS names a folder for the runs' logs.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { nodeArguments } from '../../scripts/run.mjs'
import { libraryFile, type ShippedQuantization } from '../../src/engines/webllm/shipped-models.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import type { LoggedEvent } from '../../src/method/events.ts'
import type { Settings } from '../../src/method/settings.ts'
import { openSettings, pressDownload, runOnShow } from './controls.ts'
import { downloaded, usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { smallLink } from './small-run.ts'
import { goTo } from './views.ts'
import { hasHalf } from './webllm-client.ts'

const { WEBLLM_LOGS } = process.env
const ROLES = ['Policy', 'Reward model', 'Author of tasks']

const pages = usePages({ flags: SOFTWARE_ADAPTER_FLAGS })
let folders: string
beforeAll(() => {
  folders = mkdtempSync(join(tmpdir(), 'webllm-'))
})
afterAll(() => rmSync(folders, { recursive: true }))

let page: Page
/** Addresses outside of the page that were asked for. */
let elsewhere: string[]
beforeEach(async () => {
  const context = await pages.newContext()
  elsewhere = []
  const own = new URL(inject('pageAddress')).origin
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(own) && /^https?:/.test(url)) elsewhere.push(url)
  })
  await withoutRecordings(context)
  page = await pages.open(context)
})

/** Opens the page at a small run in which the first votes already train both models, because accuracy is not filtered. */
async function openModels(settings: Partial<Settings> = {}): Promise<void> {
  const unfiltered = { policyAccuracyLow: 0, policyAccuracyHigh: 1, rewardAccuracyLow: 0, rewardAccuracyHigh: 1 }
  const link = await smallLink({ ...unfiltered, ...settings })
  await page.goto(new URL(`${link}&view=models`, inject('pageAddress')).href)
}

const role = (name: string) => page.getByRole('region', { name })

/** What a run of one learner leaves out. */
const POLICY_ALONE = { trainReward: false, adaptEnvironment: false }

/** Runs one small iteration. Returns what the page says of its pace. */
async function step(iteration: number): Promise<string> {
  await goTo(page, 'Loop')
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  const span = iteration === 1 ? 'at iteration 1' : String.raw`\(iterations 1 to ${iteration}\)`
  await page.getByRole('img', { name: new RegExp(`^Policy accuracy.*training \\d.* ${span}`) }).waitFor({ timeout: 0 })
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await runOnShow(page).getByRole('button').first().click()
  const said = await page.getByText(/An iteration took [\d.]+ s/).innerText()
  await page.keyboard.press('Escape')
  return /An iteration took .*/.exec(said)![0]
}

/** `name` is that of its file in WEBLLM_LOGS. */
async function logSoFar(name: string): Promise<LoggedEvent[]> {
  const downloading = page.waitForEvent('download')
  await pressDownload(page)
  const text = String(await downloaded(await downloading))
  if (WEBLLM_LOGS !== undefined) {
    mkdirSync(WEBLLM_LOGS, { recursive: true })
    writeFileSync(join(WEBLLM_LOGS, `${name}.jsonl`), text)
  }
  const log = parseRunLog(text)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, place) => place))
  return log
}

/**
 * Only the first iteration's: later ones depend on what the author rewrites, which follows a grammar only in WebLLM. Without
 * log-probabilities, which the log rounds, so that the smallest difference can show; `mismatches` compares them.
 */
const firstEpisodes = (log: readonly LoggedEvent[]) =>
  log.flatMap((event) =>
    event.type === 'episode' && event.iteration === 1
      ? [{ ...event, steps: event.steps.map(({ logProbs: _, ...step }) => step) }]
      : [],
  )

/** How far the sampler's log-probabilities of a model differ from the trainer's, in each iteration that updated the model. */
const mismatches = (log: readonly LoggedEvent[], learner: 'policy' | 'reward' = 'policy') =>
  log.flatMap((event) => (event.type === 'iteration-finished' ? (event.metrics[`${learner}/mismatch_kl`] ?? []) : []))

/** Norm of the gradient of the first update. */
function firstGradient(log: readonly LoggedEvent[], learner: 'policy' | 'reward'): number {
  const update = log.find((event) => event.type === 'model-updated' && event.role === learner)
  if (update?.type !== 'model-updated') throw new Error(`The ${learner} did not learn.`)
  const { grad_norm: norm } = update.metrics
  // Equal completions with opposite advantages leave rounding errors.
  if (norm < 1e-3) throw new Error(`The ${learner}'s gradient vanishes. Choose a seed with different completions.`)
  return norm
}

/** Folders of the models whose libraries WebLLM has loaded. */
const loadedModels = async () =>
  new Set(
    await page.evaluate(async () =>
      (await (await caches.open('webllm/wasm')).keys()).map(({ url }) => url.split('/').slice(-4)[0]),
    ),
  )

async function stopAndPlayByOurs(roles: readonly string[], backend: 'webgpu' | 'cpu'): Promise<void> {
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await goTo(page, 'Models')
  for (const name of roles) await role(name).getByLabel('Played by').selectOption('built-in')
  await goTo(page, 'Loop')
  await openSettings(page)
  await page.getByLabel('Computed by').selectOption(backend)
}

/** What `npm run build:webllm -- FOLDER` writes for a folder of a shipped shape, whose library is there already. */
function buildFolder(from: string, to: string, quantization: ShippedQuantization): void {
  mkdirSync(to)
  const written = spawnSync(process.execPath, nodeArguments('src/cli/webllm-folder.ts', [from, to, quantization]), {
    cwd: root,
    encoding: 'utf8',
  })
  expect(written.status, written.stderr).toBe(0)
  const library = libraryFile(JSON.parse(readFileSync(join(from, 'config.json'), 'utf8')), quantization)
  writeFileSync(join(to, 'model.wasm'), gunzipSync(readFileSync(join(root, 'public', 'webllm', library))))
}

describe('a run on the page', () => {
  it('has WebLLM in every role, from the page’s own files, and plays what our own sampler plays', async () => {
    // A gradient of one step, so that both runs compute it with the same weights. With few seeds, both models learn from so short
    // episodes in both iterations.
    const oneUpdate = { policyUpdatesPerIteration: 1, rewardUpdatesPerIteration: 1 }
    await openModels({ seed: 5, maxSteps: 2, importanceCap: 2, ...oneUpdate })
    for (const name of ROLES) await role(name).getByLabel('Played by').selectOption('built-in-webllm')
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    await step(1)
    const withWebLlm = await step(2)
    expect(elsewhere).toEqual([])
    expect(await loadedModels()).toEqual(new Set(['household-policy', 'household-reward', 'household-author']))
    const log = await logSoFar('webllm')
    expect(mismatches(log)).toHaveLength(2)
    expect(mismatches(log, 'reward').length).toBeGreaterThan(0)
    expect(Math.max(...mismatches(log), ...mismatches(log, 'reward'))).toBeLessThan(1e-6)
    // Under its grammar, the author writes nothing but rewrites, which the household may still refuse.
    const attempts = log.flatMap((event) => (event.type === 'rewrite-proposed' ? event.attempts : []))
    expect(attempts.length).toBeGreaterThan(0)
    for (const { message } of attempts) expect(message).not.toMatch(/is not a rewrite\.$/)

    await stopAndPlayByOurs(ROLES, 'webgpu')
    const withOurs = await step(1)
    const own = await logSoFar('our-sampler')
    expect(firstEpisodes(log)).toEqual(firstEpisodes(own))
    expect(mismatches(own)).toEqual([])
    // The importance weights are 1 up to the mismatch, and the cap of 2 truncates none.
    expect(firstGradient(log, 'reward') / firstGradient(own, 'reward')).toBeCloseTo(1, 3)
    process.stderr.write(`WebLLM: ${withWebLlm}\nOur sampler: ${withOurs}\n`)
  })

  it('truncates the importance weights of what WebLLM samples at the cap', async () => {
    // Weights of about 1 that are cut to ½ halve the gradient, if nothing else than the surrogate has one.
    await openModels({
      seed: 1,
      importanceCap: 0.5,
      klCoefficient: 0,
      policyUpdatesPerIteration: 1,
      ...POLICY_ALONE,
    })
    await role('Policy').getByLabel('Played by').selectOption('built-in-webllm')
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    await step(1)
    const log = await logSoFar('webllm-capped')
    expect(mismatches(log)).toHaveLength(1)

    // Our sampler has no importance weights, because it is the trainer. On the CPU, where the run before was trained too: a software
    // adapter takes many times as long.
    await stopAndPlayByOurs(['Policy'], 'cpu')
    await step(1)
    const own = await logSoFar('our-sampler-capped')
    expect(firstEpisodes(log)).toEqual(firstEpisodes(own))
    expect(firstGradient(log, 'policy') / firstGradient(own, 'policy')).toBeCloseTo(0.5, 3)
  })

  it('samples every role in half precision where the adapter has it, and else says what lacks it', async () => {
    await openModels()
    for (const name of ROLES) {
      await role(name).getByLabel('Played by').selectOption('built-in-webllm')
      await role(name).getByLabel('Half precision (float16)').check()
    }
    if (!(await hasHalf(page))) {
      await role('Policy').getByText('Your graphics adapter lacks shader-f16. Clear Half precision.').waitFor()
      await goTo(page, 'Loop')
      await page.getByRole('button', { name: 'Step', exact: true }).click()
      await page.getByText(/kernels use half precision and this graphics adapter lacks shader-f16/).waitFor()
      return
    }
    await step(1)
    process.stderr.write(`In half precision: ${await step(2)}\n`)
    const log = await logSoFar('webllm-half')
    expect(mismatches(log)).toHaveLength(2)
    expect(Math.max(...mismatches(log), ...mismatches(log, 'reward'))).toBeLessThan(1e-4)
    const names = ['policy', 'reward', 'author'].map((part) => `household-${part}-q0f16`)
    expect(await loadedModels()).toEqual(new Set(names))
    expect(elsewhere).toEqual([])
  })

  it.each([
    ['q0f32', 1e-6],
    ['q0f16', 1e-4],
  ] as const)(
    'trains your own folder, which WebLLM samples from build:webllm’s folder in %s',
    async (numbers, most) => {
      const checkpoint = join(folders, 'my model')
      const forWebLlm = join(folders, `my model-${numbers}-MLC`)
      cpSync(join(root, 'public', 'models', 'household-policy'), checkpoint, { recursive: true })
      buildFolder(checkpoint, forWebLlm, numbers)

      await openModels(POLICY_ALONE)
      const policy = role('Policy')
      await policy.getByLabel('Played by').selectOption('checkpoint')
      await policy.getByLabel(/Or a standard Hugging Face folder/).setInputFiles(checkpoint)
      await expect
        .poll(() => policy.getByLabel('Folder', { exact: true }).inputValue())
        .toMatch(/^local:my model@[0-9a-f]{8}$/)
      await policy.getByLabel('Context, tokens').fill('1024')
      await policy.getByLabel('Sample with WebLLM').check()
      await policy.getByLabel(/Or a folder of build:webllm or mlc_llm/).setInputFiles(forWebLlm)
      await expect.poll(() => policy.getByLabel('Model for WebLLM').inputValue()).toBe(basename(forWebLlm))
      if (numbers === 'q0f16' && !(await hasHalf(page))) {
        await policy.getByText('Your graphics adapter lacks shader-f16. Choose the same model with f32').waitFor()
        return
      }
      await page.getByText('Your next run uses the models chosen here.').waitFor()
      await step(1)
      // The second iteration samples with the weights of the first one's update.
      await step(2)
      expect(elsewhere).toEqual([])
      const log = await logSoFar(`own-folder-${numbers}`)
      expect(firstEpisodes(log).length).toBeGreaterThan(0)
      expect(mismatches(log)).toHaveLength(2)
      expect(Math.max(...mismatches(log))).toBeLessThan(most)
      const started = log.find((event) => event.type === 'run-started')
      expect(JSON.stringify(started?.models.policy)).toContain('my model')
    },
  )
})
