/** The experiments that use the page like a visitor, with the shortest runs. */
import { expect, it, vi } from 'vitest'
import { learnInChromium } from '../../src/cli/experiments/learning-chromium.ts'
import type { LearningResult } from '../../src/cli/experiments/learning-report.ts'
import { memoryParts } from '../../src/cli/experiments/memory-parts.ts'
import { watchMainThread, type WatchedView } from '../../src/cli/experiments/main-thread-run.ts'
import { watchMemory, type MemorySample } from '../../src/cli/experiments/memory-run.ts'
import { openBrowser } from './harness.ts'

it('a visitor chooses a preset, presses Run, and what the run learned is read', async () => {
  const options = { preset: 'coding', minutes: 30, evaluationTasks: 2, evaluateEvery: 1, iterations: 2 }
  const results: LearningResult[] = []
  await learnInChromium(options, async (learn) => void results.push(await learn(7)))
  const [result] = results
  expect(result!.iterations).toBeGreaterThanOrEqual(2)
  expect(result!.metrics['Code']!.id.after!.evaluations).toBeGreaterThanOrEqual(2)
  expect(result!.firstIterationSeconds).toBeGreaterThan(0)
})

it('the main thread is watched while views open, in every view of a run, and again after a reload', async () => {
  const watched: WatchedView[] = []
  // On a busy machine the page's process begins to trace late, and would miss all of a shorter time.
  const options = { preset: 'coding', after: 1, seconds: 1, openings: 1, arrivalMs: 200 }
  // Every view of every world is opened and watched in main-thread.slow.test.ts.
  const few = { worlds: ['desktop'], views: ['loop', 'results'] } as const
  await watchMainThread({ ...options, ...few }, (view) => void watched.push(view))
  const views = ['loop', 'episodes', 'tasks', 'runs']
  const isOpening = ({ page }: WatchedView) => page === 'that opens'
  expect(watched.filter(isOpening).map(({ view, world }) => `${view} of ${world}`)).toEqual([
    'loop of desktop',
    'results of desktop',
  ])
  expect(watched.filter((each) => !isOpening(each)).map(({ view }) => view)).toEqual([...views, ...views])
  expect(watched.every(({ cpu }) => cpu.length > 0)).toBe(true)
})

it('the memory of a run is sampled while its views are open in turn', async () => {
  let samples: MemorySample[] = []
  const parts = () => samples.flatMap((sample) => sample.parts ?? [])
  // Another try if the browser gave up its accounts in each sample, as on a machine that is too busy.
  for (let attempt = 0; attempt < 3 && parts().length === 0; attempt++) {
    samples = []
    await watchMemory({ preset: 'coding', iterations: 3, every: 2 }, (sample) => void samples.push(sample))
  }
  expect(samples.map(({ view }) => view)).toEqual(['loop', 'episodes'])
  expect(samples[0]!.iteration).toBeGreaterThanOrEqual(2)
  // A page that trains three models uses more than an empty one, and its process holds more than it uses.
  expect(samples.every(({ live, resident }) => live > 50e6 && resident > live)).toBe(true)
  expect(samples.every(({ stored }) => stored > 0)).toBe(true)
  if (process.platform === 'linux')
    expect(samples.every(({ program, collected }) => program! > 50e6 && program! < collected / 2)).toBe(true)
  expect(parts().length).toBeGreaterThan(0)
  // The young part is a part of the workers'.
  expect(parts().every(({ page, workers, workersYoung }) => page > 10e6 && workers > workersYoung)).toBe(true)
  const least = parts().map(({ workersYoung, elements, native }) => Math.min(workersYoung, elements, native))
  expect(Math.min(...least)).toBeGreaterThan(1e6)
})

it('what the memory of a page consists of is in the accounts of the browser', async () => {
  const browser = await openBrowser({ isAlone: true })
  try {
    const page = await browser.newPage()
    // The process with the most JavaScript is measured, and the browser has a page of its own.
    await page.evaluate(() => {
      const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => {}'])))
      Object.assign(globalThis, { worker, numbers: Array.from({ length: 1_000_000 }, (_, i) => ({ i })) })
    })
    // Again until there is one: the browser gives up on a machine that is too busy.
    const read = async () => (await memoryParts(browser)) ?? Promise.reject(new Error('The browser gave no accounts.'))
    const parts = await vi.waitFor(read, { timeout: 120_000 })
    expect(Math.min(...Object.values({ ...parts }))).toBeGreaterThan(0)
  } finally {
    await browser.close()
  }
})
