import { describe, expect, it } from 'vitest'
import { DEFAULT_PRESET, presetSettings } from '../../../../src/method/presets.ts'
import { readSpot } from '../../../../src/playground/run/spot.ts'
import { partsOf } from '../../../../src/playground/state/link.ts'
import { isRecording, RECORDINGS } from '../../../../src/playground/state/recordings.ts'
import { STORY_STEPS } from '../../../../src/playground/state/story-steps.ts'
import { placeOf } from '../../../../src/playground/state/views.ts'
import {
  driftBars,
  driftLink,
  driftSentence,
  FAILURES,
  judgeChart,
  judgeSentence,
} from '../../../../src/playground/views/story/failures.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { foldRun, RunView } from '../../../../src/runs/fold.ts'

const pleased = foldRun(await readRunLog(`public/runs/${RECORDINGS.pleased}.jsonl.gz`))
const household = foldRun(await readRunLog('public/runs/household.jsonl.gz'))

describe('what breaks', () => {
  it('shows a judge of a recorded run that loses bad steps', () => {
    const [good, bad] = judgeChart(pleased).series.map(({ points }) => points.map(({ y }) => y))
    expect(good!.length).toBeGreaterThan(2)
    expect(good!.at(-1)).toBeGreaterThan(good![0]!)
    expect(bad!.at(-1)).toBeLessThan(bad![0]! - 0.1)
    expect(judgeSentence(pleased)).toContain(`At λ = ${pleased.settings!.lambda},`)
    expect(judgeSentence(pleased)).toContain(`to ${Math.round(100 * bad!.at(-1)!)} %: it approves more and more.`)
    expect(judgeSentence(new RunView())).toBeNull()
  })

  it('counts the rewritten tasks of a recorded run', () => {
    const active = [...household.tasks.values()].filter(({ status }) => status === 'active')
    const rewritten = active.filter(({ origin }) => origin !== null)
    const [share, words, kinds] = driftBars(household)
    expect(share!.value).toBeCloseTo(rewritten.length / active.length, 12)
    const rings = [words!, kinds!].some(({ value, alarm }) => value > alarm!)
    expect(driftSentence(household)).toContain(rings ? 'has set off an alarm' : 'stays below both alarms')
  })

  it('leads to the pool of the run that it is about, whichever run is on show', () => {
    expect(readSpot(partsOf(driftLink(household)).fields.at!)?.iteration).toBe(household.current!.iteration)
    expect(presetSettings(DEFAULT_PRESET).world).toBe('household')
  })

  it('leads to places that exist', () => {
    expect(isRecording(RECORDINGS.pleased)).toBe(true)
    const lessons = STORY_STEPS.flatMap(({ exercises }): readonly { id: string }[] => exercises).map(({ id }) => id)
    for (const { link } of FAILURES) {
      const lesson = /^#lesson=(.*)$/.exec(link)?.[1]
      if (lesson === undefined) expect(link.startsWith(`#${placeOf(link).view}`)).toBe(true)
      else expect(lessons).toContain(lesson)
    }
  })
})
