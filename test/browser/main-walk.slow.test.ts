/**
 * The main walk in the engines that this machine has: the recorded run, a run of one's own, λ while it runs, reload and resume, a run
 * in the coding world, the story, the lessons, Models, and all of it without a network. SCREENSHOTS names a folder for pictures of the
 * way.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { STORY_STEPS } from '../../src/playground/state/story-steps.ts'
import { engines, type Walker } from './engines/walker.ts'
import { serveStatic, type Changes } from './static-server.ts'

const { SCREENSHOTS } = process.env

const POLICY = /^Policy accuracy.*training .* \(iterations 1 to (\d+)\)/

/** The run's own numbers at the junction of the loop; null while another λ is tried on it. */
const JUNCTION = 'document.querySelector(".junction:not(.tried) .numbers")?.textContent ?? null'

/** Texts on the page with a combining macron that Formula does not draw: fonts of WebKit lose it. */
const BARE_MEANS = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const bare = []
  while (texts.nextNode() !== null) {
    const { data, parentElement } = texts.currentNode
    if (data.includes('\u0304') && parentElement.closest('.mean') === null) bare.push(data)
  }
  return bare
})()`

async function makeSmall(walker: Walker): Promise<void> {
  await walker.press('button', /^Settings/)
  await walker.fill(/^m, (votes|tests)/, '1')
  await walker.fill(/^G, (rollouts|programs)/, '2')
  await walker.press('summary', /^Run$/)
  await walker.fill(/^(Tasks|Problems) per iteration/, '1')
  await walker.fill(/^(Task|Problem) pool/, '2')
  await walker.fill(/^Evaluate every/, '0')
}

/**
 * The others. In Chromium, page-kept, page-coding, page-story, page-models, page-method and offline have each part of the main walk, which
 * it does only for pictures, or if there is no other engine here.
 */
const OTHER_ENGINES = engines().filter(({ name, missing }) => name !== 'Chromium' && missing === null)

describe.each(engines())('in $name', ({ name, missing, start }) => {
  const why = missing === null ? '' : ` (skipped: no ${missing} here)`

  const onPage = async (changes: Changes, walk: (walker: Walker, address: string) => Promise<void>) => {
    const server = await serveStatic(changes)
    const walker = await start()
    try {
      await walker.goTo(`${server.address}#loop`)
      await walk(walker, server.address)
    } finally {
      await walker.close()
      await server.close()
    }
  }

  it.skipIf(missing !== null)(`an error that the page does not catch ends a walk${why}`, () =>
    onPage({}, async (walker, address) => {
      const thrown = 'setTimeout(() => { throw new Error("late") })\nvoid Promise.reject(new Error("rejected"))'
      await walker.see('Recorded run')
      expect(await walker.uncaught()).toEqual([])
      const script = `Object.assign(document.createElement('script'), { textContent: ${JSON.stringify(thrown)} })`
      await walker.evaluate(`void document.body.append(${script})`)
      await expect.poll(() => walker.uncaught()).toHaveLength(2)
      await expect(walker.goTo(address)).rejects.toThrow(/late|rejected/)
    }),
  )

  it.skipIf(missing !== null)(`a recorded run opens that is packed once more than its name says${why}`, () => {
    const log = 'runs/household.jsonl.gz'
    const body = gzipSync(readFileSync(join(root, 'dist', log)))
    return onPage({ change: (path) => (path === log ? { body } : undefined) }, async (walker) => {
      await walker.see('Recorded run')
      await walker.read('img', POLICY)
      expect(await walker.uncaught()).toEqual([])
    })
  })

  if (name === 'Chromium' && OTHER_ENGINES.length > 0 && SCREENSHOTS === undefined) return

  it.skipIf(missing !== null)(`the main walk works${why}`, async () => {
    const server = await serveStatic()
    const walker = await start()
    const look = async (what: string) => {
      if (SCREENSHOTS === undefined) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      writeFileSync(join(SCREENSHOTS, `${name}-${what}.png`), await walker.screenshot())
    }
    const reach = async (iteration: number) => {
      await expect.poll(async () => Number(await walker.read('img', POLICY))).toBeGreaterThanOrEqual(iteration)
    }
    let isServed = true
    try {
      await walker.goTo(`${server.address}#loop`)
      await walker.see('Recorded run')
      // The line over S̄, which fonts of WebKit lose.
      const mean = 'getComputedStyle(document.querySelector(".formula .mean")).borderTopStyle'
      expect(await walker.evaluate(mean)).toBe('solid')
      expect(await walker.evaluate(BARE_MEANS)).toEqual([])
      await look('1-recorded')
      await walker.press('radio', /^Coding/)
      await walker.see('programs to test')
      await look('2-coding')
      await walker.press('radio', /^Household/)
      await walker.see('steps to judge')

      await makeSmall(walker)
      await walker.fill(/^Steps per episode/, '5')
      await walker.press('button', /^Run$/)
      await walker.see('Your run')
      // First while its models may still be loading, then while it runs.
      await walker.fill(/^λ/, '2')
      await expect.poll(() => walker.evaluate(JUNCTION)).toContain('λ = 2.0')
      await reach(2)
      await walker.fill(/^λ/, '2.5')
      await expect.poll(() => walker.evaluate(JUNCTION)).toContain('λ = 2.5')
      await reach(3)
      await look('3-running')

      await walker.goTo(`${server.address}?from=mail#loop`)
      const from = Number(await walker.read('button', /^Resume the run from iteration (\d+)$/))
      expect(from).toBeGreaterThanOrEqual(3)
      await walker.press('button', /^Resume the run from iteration \d+$/)
      await reach(from + 1)
      await walker.press('button', /^Pause$/)
      await walker.see('Paused')
      await look('4-resumed')

      await walker.goTo(`${server.address}?from=coding#loop`)
      await walker.see('Resume the run from iteration')
      await walker.press('button', /^Discard$/)
      await walker.press('button', /^Delete permanently$/)
      await walker.press('radio', /^Coding/)
      await makeSmall(walker)
      await walker.press('button', /^Step$/)
      await walker.see('Your run')
      await walker.see('Paused')
      await walker.read('img', /^Code\..*training \d.* at iteration (1)/)
      await look('4-coding')
      // Whatever the models wrote, the sandbox tells a right program from an endless one.
      await walker.press('link', /^Set up$/)
      await walker.press('link', /^Games and problems$/)
      await walker.press('summary', /^Look at a problem and write a program/)
      const problem = 'document.querySelector(\'[aria-label="Problems"] button\')'
      await expect.poll(() => walker.evaluate(`${problem} !== null`)).toBe(true)
      await walker.evaluate(`${problem}.click()`)
      await walker.press('button', /^Write the reference solution$/)
      await walker.press('button', /^Judge it$/)
      await walker.see('Right.')
      await walker.fill(/^Your program, in JavaScript/, 'function f() { while (true) {} }')
      await walker.press('button', /^Judge it$/)
      await walker.see('time limit')
      await look('4-judged')

      await walker.goTo(`${server.address}?from=course#learn`)
      await walker.see('Lessons')
      // WebKit never ends a reading of the database whose worker it kills, and every later writing waits for it.
      await walker.see('Resume the run from iteration')
      await look('5-learn')

      await walker.press('link', /^Story$/)
      await walker.press('button', /^All \d+/)
      await walker.see('a wasted step earns as much as a useful one')
      for (const [index, { title }] of STORY_STEPS.entries()) {
        await walker.press('link', new RegExp(`, step ?${index + 1}$`))
        await walker.read('heading', new RegExp(`^${title.replace('?', '\\?')}$`))
        expect(await walker.evaluate(BARE_MEANS)).toEqual([])
      }
      await walker.press('button', /^It rises/)
      await walker.see('Results has')
      await look('6-story')

      await walker.press('link', /^Tasks$/)
      await walker.press('link', /^Theory$/)
      await walker.see('The formulas below')
      expect(await walker.evaluate(BARE_MEANS)).toEqual([])
      await look('6-theory')

      await walker.press('link', /^Set up$/)
      await walker.see('No models yet')
      await look('7-models')

      await walker.evaluate(
        'void navigator.serviceWorker.ready.then(() => (document.documentElement.dataset.kept = ""))',
      )
      await expect.poll(() => walker.evaluate('"kept" in document.documentElement.dataset')).toBe(true)
      await server.close()
      isServed = false
      await walker.goTo(`${server.address}?offline#loop`)
      await walker.see('Recorded run')
      await walker.see('Resume the run from iteration')
      // WebKit does not isolate pages that may load from other sites.
      const isWebKit = await walker.evaluate('!("chrome" in window) && /AppleWebKit/.test(navigator.userAgent)')
      expect(await walker.evaluate('crossOriginIsolated')).toBe(!isWebKit)
      await walker.press('button', /^Discard$/)
      await walker.press('button', /^Delete permanently$/)
      await walker.press('radio', /^Household/)
      await makeSmall(walker)
      await walker.fill(/^Steps per episode/, '5')
      await walker.press('button', /^Step$/)
      await walker.see('Paused')
      await look('8-offline')
      expect(await walker.uncaught()).toEqual([])
    } catch (error) {
      await look('failed')
      throw error
    } finally {
      await walker.close()
      if (isServed) await server.close()
    }
  })
})
