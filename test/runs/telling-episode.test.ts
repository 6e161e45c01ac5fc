import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { episodeExcerpt } from '../../src/runs/episode-excerpt.ts'
import { foldRun, type RunView } from '../../src/runs/fold.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { tellingEpisode, type TellingEpisode } from '../../src/runs/telling-episode.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { logOf, request, smallSettings, world } from '../method/corridor.ts'

const shipped = (name: string): string =>
  gunzipSync(readFileSync(new URL(`../../public/runs/${name}.jsonl.gz`, import.meta.url))).toString()
const excerptOf = (name: string): RunView => foldRun(parseRunLog(shipped(`${name}-episode`)))

/** The policy's advantage of the telling step at λ. */
const advantageAt = ({ group, settings, trajectory, step }: TellingEpisode, lambda: number): number =>
  group.derive({ ...settings, lambda }).policy[trajectory]![step]!

describe('the most telling episode', () => {
  it('of the household is solved, and its one wasted step is encouraged at λ = 0 and discouraged at λ = 1', () => {
    const telling = tellingEpisode(excerptOf('household'))!
    const { episode } = telling.group.episodes[telling.trajectory]!
    expect(telling.isFlipping).toBe(true)
    expect(episode.outcome).toBe(1)
    expect(new Set(telling.group.outcomes)).toEqual(new Set([1, -1]))
    expect(episode.steps[telling.step]).toMatchObject({ trueLabel: -1, observation: 'Nothing happens.' })
    expect(episode.steps.filter(({ trueLabel }) => trueLabel === -1)).toHaveLength(1)
    expect(advantageAt(telling, 0)).toBeGreaterThan(0.5)
    expect(advantageAt(telling, 1)).toBeLessThan(-0.5)
  })

  it('of the coding world is a wrong program that false tests let pass', () => {
    const view = excerptOf('coding')
    const telling = tellingEpisode(view)!
    const { tests } = view.testsFor(telling.iteration.iteration, telling.group.taskId)!.written
    const scores = telling.group.scores[telling.trajectory]![0]!
    expect(telling.isFlipping).toBe(true)
    expect(telling.group.outcomes[telling.trajectory]).toBe(-1)
    expect(tests.some(({ isTrue }, test) => isTrue === false && scores[test] === 1)).toBe(true)
    expect(advantageAt(telling, 0)).toBeLessThan(0)
    expect(advantageAt(telling, 1)).toBeGreaterThan(0)
  })

  it('is the nearest there is where no advantage changes its sign', async () => {
    const settings = smallSettings({ signal: 'outcome' })
    const view = foldRun(await logOf(world(), request(settings, { iterations: 2 })))
    const telling = tellingEpisode(view)!
    expect(telling.isFlipping).toBe(false)
    expect(advantageAt(telling, 0)).toBe(advantageAt(telling, 1))
  })

  it('is null before any episode is judged', async () => {
    const events = await logOf(world(), request(smallSettings(), { iterations: 1 }))
    const unjudged = events.filter(({ type }) => type !== 'advantages')
    expect(tellingEpisode(foldRun(unjudged))).toBeNull()
    expect(episodeExcerpt(unjudged)).toBeNull()
  })
})

describe('an excerpt', () => {
  it.each(SHIPPED_WORLDS)('that ships for %s is what its shipped run gives', (name) => {
    const excerpt = episodeExcerpt(parseRunLog(shipped(name)))!
    // Read, so that a setting that came later has its default in both.
    expect(excerpt).toEqual(parseRunLog(shipped(`${name}-episode`)))
  })

  it('has the same telling episode as its run, with the same advantages', async () => {
    const events = await logOf(world(), request(smallSettings(), { iterations: 3 }))
    const whole = tellingEpisode(foldRun(events))!
    const part = tellingEpisode(foldRun(parseRunLog(serialiseRunLog(episodeExcerpt(events)!))))!
    expect(part.group.taskId).toBe(whole.group.taskId)
    expect([part.iteration.iteration, part.trajectory, part.step]).toEqual([
      whole.iteration.iteration,
      whole.trajectory,
      whole.step,
    ])
    for (const lambda of [0, 0.5, 1, 2, 5]) expect(advantageAt(part, lambda)).toBe(advantageAt(whole, lambda))
  })
})
