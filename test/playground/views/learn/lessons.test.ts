import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../../src/method/events.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { foldRun, RunView } from '../../../../src/runs/fold.ts'
import { parseSettings } from '../../../../src/method/presets.ts'
import type { Settings } from '../../../../src/method/settings.ts'
import { SECTIONS, type Section } from '../../../../src/playground/state/link.ts'
import { stepsDone, type LessonState } from '../../../../src/playground/views/learn/steps.ts'
import { changeWords } from '../../../../src/playground/views/learn/words.ts'
import { isRunOf, lessonPlaces, lessonSettings, observe } from '../../../../src/playground/views/learn/lesson.ts'
import { isMeanAbove, isMostly, isShareAbove } from '../../../../src/playground/views/learn/evidence.ts'
import { uniformStream } from '../../../../src/method/random.ts'
import { LESSONS } from '../../../../src/playground/views/learn/lessons.ts'
import { isPlace, placeOf, shownViews } from '../../../../src/playground/state/views.ts'
import { logOf, request, smallSettings, world } from '../../../method/corridor.ts'
import { codingSettings, codingWorld } from '../../../method/test-writing/adding.ts'
import { recordedHousehold } from '../../recorded-household.ts'
import { lesson, play, playLog, type Play } from './played.ts'

/** Every source of the page and its worlds, but for the lessons' own texts. */
function sourcesOfPage(): string {
  const listed = ['src/playground', 'src/worlds'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => `${root}/${path}`),
  )
  return listed
    .filter((path) => /\.(ts|svelte)$/.test(path) && !/learn.(lessons|regions)\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

describe('lessons', () => {
  it('are eight or more, with valid settings and steps', () => {
    expect(LESSONS.length).toBeGreaterThanOrEqual(8)
    expect(new Set(LESSONS.map(({ id }) => id)).size).toBe(LESSONS.length)
    for (const each of LESSONS) {
      expect(() => lessonSettings(each), each.id).not.toThrow()
      expect(each.steps.length, each.id).toBeGreaterThan(0)
      expect(lessonSettings(each)).toMatchObject(each.difference)
    }
  })

  it('name places that a link to the lesson does not hide, and variations that change something', () => {
    for (const each of LESSONS) {
      expect(lessonPlaces(each).length, each.id).toBeGreaterThan(0)
      expect(each.variations.length, each.id).toBeGreaterThan(0)
      const hidden = (Object.keys(SECTIONS) as Section[]).filter((section) => !each.needs.includes(section))
      for (const { place } of lessonPlaces(each)) {
        expect(isPlace(place), place).toBe(true)
        expect(shownViews(hidden), `${each.id} ${place}`).toContain(placeOf(place).view)
      }
      for (const { change } of each.variations) {
        const settings = parseSettings({ ...each.difference, ...change }, each.preset)
        expect(settings, each.id).not.toEqual(lessonSettings(each))
        expect(changeWords(change, each)).toMatch(/: /)
      }
    }
  })

  it.each(LESSONS.map(({ id }) => id))('%s is observed neither before a run nor in one that just started', (id) => {
    expect(observe(lesson(id), new RunView()).isMade).toBe(false)
    const started: LoggedEvent = {
      type: 'run-started',
      seq: 0,
      iteration: 0,
      runId: 'r',
      settings: lessonSettings(lesson(id)),
      preset: lesson(id).preset,
      backend: 'b',
      models: { policy: 'p', reward: 'r', author: 'a' },
    }
    const view = foldRun([started])
    expect(isRunOf(lesson(id), view)).toBe(true)
    const seen = observe(lesson(id), view)
    expect(seen.isMade).toBe(false)
    expect(seen.evidence.length).toBeGreaterThan(10)
  })

  it('are never observed in a run with other settings', () => {
    const seen = observe(lesson('lambda'), recordedHousehold())
    expect(seen).toMatchObject({ isMade: false, evidence: expect.stringContaining('other settings') as string })
  })
})

describe('the steps of a lesson', () => {
  const state = (change: Partial<LessonState> = {}): LessonState => ({
    view: new RunView(),
    isOpen: false,
    draft: lessonSettings(lesson('sparse')),
    isObserved: false,
    ...change,
  })
  const done = (id: string, change: Partial<LessonState>) => stepsDone(lesson(id), state(change))

  it('begin with setting up, done once the controls have the settings and no other run is open', () => {
    expect(done('sparse', {})).toEqual([true, false, false, false])
    expect(done('sparse', { draft: lessonSettings(lesson('lambda')) })).toEqual([false, false, false, false])
    expect(done('sparse', { isOpen: true, view: recordedHousehold() })).toEqual([false, false, false, false])
    // A run that is being opened takes the settings on the controls.
    expect(done('sparse', { isOpen: true })).toEqual([true, false, false, false])
    // The recorded household run has other settings.
    expect(done('sparse', { view: recordedHousehold(), isOpen: true })[0]).toBe(false)
  })

  it('finish with iterations under their settings, and never before the step ahead of them', async () => {
    const integrated = { ...lessonSettings(lesson('sparse')), signal: 'integrated' as const }
    const one = await play('sparse', {}, { iterations: 1 })
    expect(done('sparse', { view: one })).toEqual([true, false, false, false])
    expect(done('sparse', { view: one, draft: integrated })).toEqual([true, false, false, false])
    const two = await play('sparse', {}, { iterations: 2 })
    expect(done('sparse', { view: two })).toEqual([true, true, false, false])
    expect(done('sparse', { view: two, draft: integrated })).toEqual([true, true, true, false])
    const patches = [null, null, { signal: 'integrated' } as const]
    const four = await play('sparse', {}, { iterations: 4, patches })
    expect(done('sparse', { view: four, draft: integrated })).toEqual([true, true, true, true])
  })

  it('are all done once the observation is made', async () => {
    const view = await play('consistency', {}, { iterations: 2 })
    expect(done('consistency', { view })).toEqual([true, false])
    expect(done('consistency', { view, isObserved: true })).toEqual([true, true])
    const only = foldRun(await logOf(world(), request(smallSettings(), { iterations: 1, only: 'policy' })))
    expect(done('ablations', { view: only })).toEqual([true, true, false])
  })
})

/** The part of a run that observations on fixed trajectories read. `updates`: whether the reward model learned in each iteration. */
function measured(
  { good, bad, accepted = [] }: { good: number[]; bad: number[]; accepted?: number[] },
  { updates = good.map(() => true), shares = [] as number[] } = {},
): RunView {
  const series: Record<string, number[]> = {
    'judge/good_acc': good,
    'judge/bad_acc': bad,
    'judge/accepted_bad_acc': accepted,
    'judge/balanced_acc': good.map((value, i) => (value + bad[i]!) / 2),
  }
  return {
    started: recordedHousehold().started,
    settingsChanges: [],
    series: (name: string) => ({ iterations: good.map((_, i) => i), values: series[name] ?? [] }),
    iterations: good.slice(1).map((_, i) => ({
      iteration: i + 1,
      isFinished: true,
      rewardUpdate: updates[i + 1] ? {} : null,
      theory: { successShare: shares[i] ?? 0.5 },
    })),
  } as unknown as RunView
}

describe('what lessons observe', () => {
  const toIntegrated = { iterations: 6, patches: [null, null, { signal: 'integrated' } as const] }

  it('votes that rank steps where outcomes do not differ, but not the votes of a coin or of a judge that is wrong', async () => {
    const still = { rewardLearningRate: 0, groupSize: 8 }
    expect(observe(lesson('sparse'), await play('sparse', still, toIntegrated)).isMade).toBe(true)
    const coin = observe(lesson('sparse'), await play('sparse', still, { ...toIntegrated, insight: 0.5 }))
    expect(coin).toMatchObject({ isMade: false, evidence: expect.stringContaining('of the steps that votes encourage') as string }) // prettier-ignore
    // A coin tells more sets apart than outcomes do, which is all that spread can show.
    const [outcome, votes] = [...coin.evidence.matchAll(/(\d+) %/g)].map(([, percent]) => Number(percent))
    expect(votes!).toBeLessThan(outcome!)
    expect(observe(lesson('sparse'), await play('sparse', still, { ...toIntegrated, insight: 0.2 })).isMade).toBe(false)
    expect(observe(lesson('sparse'), await play('sparse', still, { iterations: 6 })).isMade).toBe(false)
  })

  it('bad steps encouraged at large λ, but not by a judge without mistakes, and not while λ stays small', async () => {
    const patches = [null, null, null, { lambda: 8 }]
    const still = { rewardLearningRate: 0, groupSize: 8 }
    expect(
      observe(lesson('lambda'), await play('lambda', still, { iterations: 6, patches, insight: 0.6 })).isMade,
    ).toBe(true)
    const perfect = observe(lesson('lambda'), await play('lambda', still, { iterations: 6, patches, insight: 1 }))
    expect(perfect).toMatchObject({ isMade: false, evidence: expect.stringContaining('at large λ') as string })
    expect(observe(lesson('lambda'), await play('lambda', still, { iterations: 6 })).isMade).toBe(false)
    const little = { iterations: 6, patches: [null, null, null, { lambda: 4, signal: 'outcome' as const }] }
    expect(observe(lesson('lambda'), await play('lambda', still, little)).isMade).toBe(false)
  })

  it('all iterations of a long run, also those whose episodes were released', async () => {
    const judged = { rewardLearningRate: 0, groupSize: 8 }
    const released = { ...judged, profile: 'reference', rewardGrouping: 'vote', singleSurvivor: 'raw' } as const
    const program = codingSettings({ ...lesson('lies').difference, tasksPerIteration: 8 })
    const logs = {
      sparse: await playLog('sparse', judged, { iterations: 6, patches: [null, null, { signal: 'integrated' }] }),
      lambda: await playLog('lambda', judged, { iterations: 6, patches: [null, null, null, { lambda: 8 }] }),
      released: await playLog('released', released, { iterations: 6, insight: 0.6 }),
      lies: await logOf(codingWorld(), request(program, { iterations: 6 })),
    }
    for (const [id, log] of Object.entries(logs)) {
      const view = new RunView()
      for (const event of log) {
        view.apply(event)
        if (event.type !== 'iteration-finished') continue
        lesson(id).observe(view)
        view.release(event.iteration)
      }
      expect(lesson(id).observe(view), id).toEqual(lesson(id).observe(foldRun(log)))
    }
  })

  it('a judge that becomes kinder on fixed trajectories, but not one that improves, turns strict or stays frozen', () => {
    const bad = [0.91, 0.81, 0.8]
    const made = (...args: Parameters<typeof measured>) => lesson('consistency').observe(measured(...args)).isMade
    const kinder = { good: [0.79, 0.93, 0.93], bad, accepted: [0.8, 0.54, 0.53] }
    expect(made(kinder)).toBe(true)
    expect(made({ good: [0.79, 0.93], bad, accepted: [0.8, 0.54] })).toBe(false)
    expect(made(kinder, { updates: [false, false, false] })).toBe(false)
    // It finds more good steps and lets no more bad ones pass.
    expect(made({ ...kinder, accepted: [0.8, 0.8, 0.82] })).toBe(false)
    expect(made({ good: [0.93, 0.8, 0.79], bad, accepted: [0.53, 0.7, 0.8] })).toBe(false)
    expect(made({ good: [0.79, 0.79, 0.79], bad, accepted: [0.8, 0.54, 0.53] })).toBe(false)
  })

  it('how balanced accuracy hides what a kinder judge loses, as in the recorded run', async () => {
    const view = foldRun(await readRunLog('public/runs/household-full.jsonl.gz'))
    const { isMade, evidence } = lesson('consistency').observe(view)
    expect(isMade).toBe(true)
    const [accepted, balanced] = ['The mean of these two', 'Balanced, over all steps'].map((name) => {
      const [, first, now] = new RegExp(`${name}: ([\\d.]+) % at first, ([\\d.]+) % now`).exec(evidence)!
      return Number(now) - Number(first)
    })
    expect(accepted!).toBeLessThan(0)
    expect(balanced!).toBeGreaterThan(0)
  })

  it('a judge that loses good steps, but not one that only hears −1, stays frozen, or gets worse at both', async () => {
    const made = (...args: Parameters<typeof measured>) => lesson('collapse').observe(measured(...args)).isMade
    expect(made({ good: [0.9, 0.3, 0.1], bad: [0.5, 0.9, 0.95] })).toBe(true)
    expect(made({ good: [0.9, 0.3], bad: [0.5, 0.9] })).toBe(false)
    expect(made({ good: [0.9, 0.6, 0.3], bad: [0.9, 0.6, 0.3] })).toBe(false)
    expect(made({ good: [0.9, 0.3, 0.1], bad: [0.5, 0.9, 0.95] }, { updates: [false, false, false] })).toBe(false)
    // Feedback on failed tasks encourages −1 by arithmetic, whoever listens.
    const deaf = await play('collapse', { trainReward: false }, { skill: 0.3, lengths: [9, 9], iterations: 4 })
    expect(lesson('collapse').observe(deaf).isMade).toBe(false)
  })

  it('a judge that leans with the difficulty of what it learned, but not a frozen one or one that wanders', () => {
    const shares = [0.1, 0.6, 0.2, 0.7, 0.15, 0.65, 0.05, 0.8, 0.3, 0.5, 0.25, 0.6]
    /** Good accuracy after each iteration, moved by `by(share)` from the one before. */
    const moved = (by: (share: number, i: number) => number, updates?: boolean[]) => {
      const good = [0.5]
      for (const [i, share] of shares.entries()) good.push(good.at(-1)! + by(share, i))
      return lesson('difficulty').observe(
        measured({ good, bad: good.map((value) => 1 - value) }, { shares, ...(updates && { updates }) }),
      ).isMade
    }
    const noise = [0.01, -0.01, 0.02, 0.005, -0.015, 0.01, -0.005, 0.01, 0.02, -0.01, 0.005, -0.02]
    expect(moved((share, i) => (share - 0.4) / 5 + noise[i]!)).toBe(true)
    expect(moved((share, i) => (0.4 - share) / 5 + noise[i]!)).toBe(false)
    expect(moved((share, i) => (share - 0.4) / 5 - 0.1 + i / 100)).toBe(true)
    expect(moved((_, i) => noise[i]!)).toBe(false)
    // Only drifts.
    expect(moved((_, i) => -0.1 + i / 100)).toBe(false)
    expect(moved(() => 0)).toBe(false)
    expect(moved((share) => (share - 0.4) / 5, [true, ...shares.map(() => false)])).toBe(false)
    // E[O·S] differs from μ − 1 in lopsided iterations by algebra, which no longer counts.
    expect(lesson('difficulty').observe(recordedHousehold()).isMade).toBe(false)
  })

  it('chance that accepts rewrites which change nothing, but not a rule that seldom does', async () => {
    const small = await play('acceptance', { maxSteps: 7 }, { iterations: 16, lengths: [5, 6, 7, 8] })
    const seen = observe(lesson('acceptance'), small)
    expect(seen).toMatchObject({ isMade: true, evidence: expect.stringContaining('that change nothing') as string })
    const verdicts = (accepted: number, rejected: number) => {
      const list = [...Array.from({ length: accepted }, () => true), ...Array.from({ length: rejected }, () => false)]
      const rewrites = new Map(list.map((is, i) => [i, { resolution: { accepted: is } }]))
      return lesson('acceptance').observe({ rewrites } as unknown as RunView).isMade
    }
    expect([verdicts(2, 8), verdicts(1, 7), verdicts(4, 3), verdicts(0, 40)]).toEqual([true, false, false, false])
    const authored = await play('acceptance', { rewrites: 'author' }, { iterations: 4 })
    expect(observe(lesson('acceptance'), authored).evidence).toContain('other settings')
  })

  it('components that change alone, but not a run in which both do', async () => {
    const first = await logOf(world(), request(smallSettings(), { iterations: 1, only: 'policy' }))
    const both = await logOf(world(), request(smallSettings(), { iterations: 1, only: 'reward', history: first }))
    expect(observe(lesson('ablations'), foldRun([...first, ...both])).isMade).toBe(true)
    expect(observe(lesson('ablations'), foldRun(first)).isMade).toBe(false)
    expect(observe(lesson('ablations'), await play('ablations', {}, { iterations: 3 })).isMade).toBe(false)
  })

  it('more tasks solved out of distribution, at the evaluation temperature and beyond chance', () => {
    const made = (accuracies: number[], serves: 'evaluation' | 'training' = 'evaluation', episodes = 96) => {
      const of = (split: 'id' | 'ood') => accuracies.map((acc) => ({ split, acc, episodes, serves }))
      return lesson('out-of-distribution').observe({ evaluations: [...of('id'), ...of('ood')] } as unknown as RunView).isMade // prettier-ignore
    }
    expect(made([0.4, 0.5, 0.55])).toBe(true)
    expect(made([0.4, 0.55])).toBe(false)
    expect(made([0.4, 0.42, 0.45])).toBe(false)
    expect(made([0.4, 0.4, 0.4])).toBe(false)
    expect(made([0.55, 0.5, 0.4])).toBe(false)
    // A policy that merely trembles less.
    expect(made([0.4, 0.5, 0.55], 'training')).toBe(false)
    expect(made([0.4, 0.5, 0.55], 'evaluation', 8)).toBe(false)
  })

  it('wrong unanimous votes that an update leaves, but not with our grouping, a perfect judge or a frozen one', async () => {
    const released = { profile: 'reference', rewardGrouping: 'vote', singleSurvivor: 'raw' } as const
    const observed = async (input: Partial<Settings>, rest: Play = {}) =>
      lesson('released').observe(await play('released', { rewardLearningRate: 0, ...input }, { iterations: 6, insight: 0.6, ...rest })) // prettier-ignore
    expect((await observed(released)).isMade).toBe(true)
    expect((await observed({ rewardGrouping: 'step' })).isMade).toBe(false)
    expect((await observed(released, { insight: 1 })).isMade).toBe(false)
    expect(await observed({ ...released, trainReward: false })).toMatchObject({
      isMade: false,
      evidence: expect.stringContaining('0 unanimous steps') as string,
    })
  })

  it('false tests that cost their writer, but not with true and false swapped or a writer that does not learn', async () => {
    const played = async (input: Partial<Settings>) =>
      logOf(codingWorld(), request(codingSettings({ tasksPerIteration: 8, ...input }), { iterations: 6 }))
    const log = await played({})
    const turned = log.map((event) =>
      event.type === 'tests-written'
        ? {
            ...event,
            tests: event.tests.map((test) => ({ ...test, isTrue: test.isTrue === null ? null : !test.isTrue })),
          }
        : event,
    )
    expect(lesson('lies').observe(foldRun(log)).isMade).toBe(true)
    expect(lesson('lies').observe(foldRun(turned)).isMade).toBe(false)
    expect(lesson('lies').observe(foldRun(await played({ trainReward: false }))).isMade).toBe(false)
  })
})

describe('comparisons beyond chance', () => {
  it('of signs pass one time in twenty for two series without a connection', () => {
    const uniform = uniformStream(5)
    const agrees = (connection: number) => {
      const [first, second] = [[] as number[], [] as number[]]
      for (let i = 0; i < 60; i++) {
        first.push(uniform())
        second.push(connection * first[i]! + uniform())
      }
      const signs = first.slice(1).map((value, i) => (value - first[i]!) * (second[i + 1]! - second[i]!) > 0)
      return isMostly(signs.filter(Boolean).length, signs.length)
    }
    const rate = (connection: number) => Array.from({ length: 4000 }, () => agrees(connection)).filter(Boolean).length / 4000 // prettier-ignore
    expect(Math.abs(rate(0) - 0.05)).toBeLessThan(0.015)
    expect(rate(1)).toBeGreaterThan(0.9)
  })

  it('pass one time in twenty where there is nothing, and mostly where there is something', () => {
    const uniform = uniformStream(3)
    const tally = (share: number) => ({
      hits: Array.from({ length: 200 }, uniform).filter((draw) => draw < share).length,
      of: 200,
    })
    const values = (centre: number) => Array.from({ length: 30 }, () => centre + uniform() - 0.5)
    const rate = (compare: () => boolean) => Array.from({ length: 2000 }, compare).filter(Boolean).length / 2000
    expect(Math.abs(rate(() => isShareAbove(tally(0.5), tally(0.5))) - 0.05)).toBeLessThan(0.02)
    expect(Math.abs(rate(() => isMeanAbove(values(0), values(0))) - 0.05)).toBeLessThan(0.02)
    expect(rate(() => isShareAbove(tally(0.65), tally(0.5)))).toBeGreaterThan(0.8)
    expect(rate(() => isMeanAbove(values(0.25), values(0)))).toBeGreaterThan(0.8)
  })
})

it('the lessons send people only to what is on the page', () => {
  const sources = sourcesOfPage()
  // A count is drawn from a run.
  const isDrawn = (label: string) => /^\d/.test(label)
  const named = LESSONS.flatMap(({ look }) => Object.values(look).flatMap((text) => [...text.matchAll(/“([^”]+)”/g)]))
  const missing = named.map(([, label]) => label!).filter((label) => !isDrawn(label) && !sources.includes(label))
  expect(missing).toEqual([])
  expect(named.length).toBeGreaterThan(5)
})
