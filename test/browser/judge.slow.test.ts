/** The judge in a worker of a real browser gives the same verdicts as in Node, to the last unit of executed time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { Judge } from '../../src/worlds/coding/judge/judge.ts'
import {
  DEFAULT_LIMITS,
  type JudgeJob,
  type JudgeResult,
  type Limits,
  type Test,
} from '../../src/worlds/coding/judge/verdict.ts'
import { HOSTILE_ANSWERS } from '../worlds/coding/judge/hostile-answers.ts'
import { HOSTILE_LIMITS, HOSTILE_PROGRAMS, testOf } from '../worlds/coding/judge/hostile-programs.ts'
import type { JudgeScope } from './fixtures/judge-page.ts'
import { useFixturePage } from './fixture-page.ts'
import { useBrowser } from './harness.ts'

/** Milliseconds that a program may run beyond its limit. */
const GRACE_MS = 50
const TRIES = 20

const addition: Test = { kind: 'call', functionName: 'f', arguments: [40, 2], expected: 42 }
const RIGHT = 'const f = (a, b) => a + b'
const HOSTILE = [...HOSTILE_PROGRAMS.map((program) => ({ ...program, test: testOf(program) })), ...HOSTILE_ANSWERS]

function job(source: string, limits: Partial<Limits> = {}): JudgeJob {
  return { source, tests: [addition], limits: { ...DEFAULT_LIMITS, ...limits } }
}

describe('the judge in a browser', () => {
  const open = useBrowser()
  // Minified, because comments name what the page must not load.
  const fixture = useFixturePage('judge', { isMinified: true })

  async function openPage() {
    const requests: string[] = []
    const { page, errors } = await open()
    // Excludes requests of the previous page.
    page.on('request', (request) => {
      if (request.url().startsWith(fixture.origin)) requests.push(new URL(request.url()).pathname)
    })
    await page.goto(fixture.address)
    await page.waitForFunction(() => 'judge' in globalThis)
    return { page, errors, requests }
  }

  function judged(page: Page, jobs: readonly JudgeJob[]): Promise<JudgeResult[]> {
    // As text, because the types of `evaluate` recurse endlessly into the JSON of a job.
    return page.evaluate(
      (text) => (globalThis as unknown as JudgeScope).judge(JSON.parse(text) as JudgeJob[]),
      JSON.stringify(jobs),
    )
  }

  it('loads when the first program is judged', async () => {
    const { page, requests } = await openPage()
    const before = [...requests]
    expect(before.filter((path) => /wasm|worker|judge-[\w-]+\.js/i.test(path))).toHaveLength(1)
    const script = before.find((path) => path.endsWith('.js')) ?? ''
    expect(readFileSync(join(fixture.outDir, script), 'utf8')).not.toMatch(/quickjs/i)
    expect(await judged(page, [job(RIGHT)])).toMatchObject([[{ kind: 'passed' }]])
    expect(requests.slice(before.length).filter((path) => path.endsWith('.wasm'))).toHaveLength(1)
  })

  it('gives hostile programs and checkers the same verdicts as Node, makes no requests, and keeps working', async () => {
    const { page, errors, requests } = await openPage()
    await judged(page, [job(RIGHT)])
    const before = requests.length
    const jobs = HOSTILE.flatMap(({ source, test }): JudgeJob[] => [
      { source, tests: [test], limits: HOSTILE_LIMITS },
      job(RIGHT),
    ])
    const results = await judged(page, jobs)
    const node = new Judge()
    for (const [index, program] of HOSTILE.entries()) {
      expect(results[2 * index]![0]!.kind, program.name).toBe(program.verdict)
      expect(results[2 * index], program.name).toEqual(await node.judge(jobs[2 * index]!))
      expect(results[2 * index + 1], `what follows ${program.name}`).toEqual(results[1])
    }
    expect(results[1]).toMatchObject([{ kind: 'passed' }])
    expect(requests.slice(before)).toEqual([])
    expect(await page.evaluate(() => (globalThis as unknown as JudgeScope).losses)).toEqual([])
    expect(errors).toEqual([])
  })

  it('ends a program no later than 50 ms after its time limit, and judges the next one', async () => {
    const { page, errors } = await openPage()
    await judged(page, [job(RIGHT)])
    const attempt = () =>
      page.evaluate(
        async ([text, wallMs]) => {
          const { judge } = globalThis as unknown as JudgeScope
          const jobs = JSON.parse(text) as JudgeJob[]
          let limitAt = 0
          setTimeout(() => (limitAt = performance.now()), wallMs)
          const first = await judge(jobs.slice(0, 1))
          const overMs = performance.now() - limitAt
          return { results: [...first, ...(await judge(jobs.slice(1)))], overMs }
        },
        [JSON.stringify([job('for (;;);', { executedMs: 8000, wallMs: 300 }), job(RIGHT)]), 300] as const,
      )
    let shortest = Infinity
    let tries = 0
    // On a busy machine every thread has to wait, so a single try says nothing about the judge.
    for (; tries < TRIES && shortest >= GRACE_MS; tries++) {
      const { results, overMs } = await attempt()
      expect(results).toMatchObject([[{ kind: 'time limit', by: 'clock' }], [{ kind: 'passed' }]])
      shortest = Math.min(shortest, overMs)
    }
    expect(shortest).toBeLessThan(GRACE_MS)
    expect(await page.evaluate(() => (globalThis as unknown as JudgeScope).losses)).toHaveLength(tries)
    expect(errors).toEqual([])
  })
})
