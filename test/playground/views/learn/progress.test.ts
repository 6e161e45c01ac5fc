import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LESSONS } from '../../../../src/playground/views/learn/lessons.ts'
import { lessonSettings } from '../../../../src/playground/views/learn/lesson.ts'
import { Lessons } from '../../../../src/playground/views/learn/lessons.svelte.ts'
import { LessonProgress } from '../../../../src/playground/views/learn/progress.svelte.ts'
import { parseRunLog } from '../../../../src/runs/run-log.ts'
import { HOUSEHOLD_LOG, page, standInForPage } from '../../state/opened-page.ts'
import { settle } from '../../state/page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('promises a variation to the run of the lesson only while that takes changes of the controls', async () => {
  const lesson = LESSONS.find(({ id }) => id === 'lambda')!
  const variation = { change: { lambda: 3 }, text: '' }
  const { playground, loop } = page()
  const progress = new LessonProgress(lesson, new Lessons(), playground)
  await progress.setUp()
  await progress.press('run')
  const { runId } = playground.live
  const started = parseRunLog(HOUSEHOLD_LOG)[0]!
  loop.say({ type: 'events', runId, batch: [{ ...started, settings: lessonSettings(lesson) } as typeof started] })
  loop.say({ type: 'status', runId, status: { state: 'running' } })
  await settle()
  expect(progress.isTakenOver(variation)).toBe(true)
  await playground.follow({ ...playground.draft.content, settings: { ...playground.draft.values, seed: 7 } })
  expect(progress.isTakenOver(variation)).toBe(false)
})
