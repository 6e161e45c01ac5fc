import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../../src/method/events.ts'
import { foldRun, RunView } from '../../../../src/runs/fold.ts'
import type { LoopRequest } from '../../../../src/method/loop-contract.ts'
import { parseSettings, type LivePatch, type Settings } from '../../../../src/method/settings.ts'
import { SECTIONS, type Section } from '../../../../src/playground/state/link.ts'
import { stepsDone, type LessonState } from '../../../../src/playground/views/learn/steps.ts'
import { changeWords } from '../../../../src/playground/views/learn/words.ts'
import { isRunOf, lessonSettings, observe } from '../../../../src/playground/views/learn/lesson.ts'
import { LESSONS } from '../../../../src/playground/views/learn/lessons.ts'
import { isPlace, placeOf, shownViews } from '../../../../src/playground/state/views.ts'
import { logOf, request, smallSettings, world } from '../../../method/corridor.ts'
import { codingSettings, codingWorld } from '../../../method/test-writing/adding.ts'
import { recordedHousehold } from '../../recorded-household.ts'

const lesson = (id: string) => LESSONS.find((candidate) => candidate.id === id)!

/** A real run of the loop in a small world, with the lesson's settings and the given changes between iterations. */
async function play(
  id: string,
  input: Partial<Settings>,
  { patches = [], skill = 0.7, lengths = [5, 1, 6, 9], ...rest }: Play = {},
): Promise<RunView> {
  const settings = smallSettings({ ...lesson(id).difference, ...input })
  const queue = [...patches]
  const log = await logOf(
    world({ skill, lengths }),
    request(settings, { takePatch: () => queue.shift() ?? null, ...rest }),
  )
  return foldRun(log)
}
interface Play extends Partial<LoopRequest> {
  patches?: (LivePatch | null)[]
  skill?: number
  lengths?: number[]
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
      expect(each.look.length, each.id).toBeGreaterThan(0)
      expect(each.variations.length, each.id).toBeGreaterThan(0)
      const hidden = (Object.keys(SECTIONS) as Section[]).filter((section) => !each.needs.includes(section))
      for (const { place } of each.look) {
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
    expect(done('sparse', { isOpen: true })).toEqual([false, false, false, false])
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

describe('what lessons observe', () => {
  it('fewer sets without spread with votes, and nothing from one signal alone', async () => {
    const patches = [null, null, { signal: 'integrated' } as const]
    expect(observe(lesson('sparse'), await play('sparse', {}, { iterations: 4, patches })).isMade).toBe(true)
    expect(observe(lesson('sparse'), await play('sparse', {}, { iterations: 4 })).isMade).toBe(false)
  })

  it('encouraged failures at large λ, but not while λ stays small', async () => {
    const patches = [null, null, { lambda: 8 }]
    expect(observe(lesson('lambda'), await play('lambda', {}, { iterations: 4, patches })).isMade).toBe(true)
    const still = observe(lesson('lambda'), await play('lambda', {}, { iterations: 4 }))
    expect(still.isMade).toBe(false)
    const little = await play('lambda', {}, { iterations: 4, patches: [null, null, { lambda: 4, signal: 'outcome' }] })
    expect(observe(lesson('lambda'), little).isMade).toBe(false)
  })

  it('an improving reward model in the recorded run, but not in its first nine iterations or in reverse', () => {
    const view = recordedHousehold()
    expect(observe(lesson('consistency'), view).isMade).toBe(true)
    const values = view.series('reward/process_acc').values
    const instead = (changed: number[]) =>
      lesson('consistency').observe({
        series: () => ({ iterations: changed.map((_, i) => i), values: changed }),
      } as unknown as RunView).isMade
    expect(instead(values)).toBe(true)
    expect(instead(values.slice(0, 9))).toBe(false)
    expect(instead(values.toReversed())).toBe(false)
  })

  it('−1 encouraged where all rollouts fail, and nothing where all succeed', async () => {
    const failing = await play('collapse', {}, { skill: 0.3, lengths: [9, 9], iterations: 2 })
    expect(observe(lesson('collapse'), failing).isMade).toBe(true)
    const solving = await play('collapse', {}, { skill: 1, lengths: [1, 2], iterations: 2 })
    expect(observe(lesson('collapse'), solving).isMade).toBe(false)
  })

  it('a gap between E[O·S] and μ − 1 in lopsided batches', () => {
    const view = (theories: [share: number, pPlus: number, pMinus: number][]) =>
      ({
        started: recordedHousehold().started,
        settingsChanges: [],
        iterations: theories.map(([successShare, pPlus, pMinus], i) => ({
          iteration: i + 1,
          isFinished: true,
          theory: { pPlus, pMinus, mu: pPlus + pMinus, successShare, precisionBound: null },
        })),
      }) as unknown as RunView
    const made = (theories: [number, number, number][]) => lesson('difficulty').observe(view(theories)).isMade
    expect(made([[0.5, 0.9, 0.5], [0.1, 0.9, 0.5]])).toBe(true) // prettier-ignore
    // With p₊ = p₋ the balance does not matter.
    expect(made([[0.45, 0.9, 0.4], [0.1, 0.7, 0.7]])).toBe(false) // prettier-ignore
    expect(made([[0.5, 0.9, 0.5]])).toBe(false)
  })

  it('verdicts that depend on one rollout at G = 2, but not far from a limit at G = 32', async () => {
    const small = await play('acceptance', {}, { iterations: 8 })
    expect(observe(lesson('acceptance'), small).isMade).toBe(true)
    const view = recordedHousehold()
    const rewrites = new Map(
      [...view.rewrites].flatMap(([id, rewrite]) =>
        rewrite.resolution
          ? [[id, { ...rewrite, resolution: { ...rewrite.resolution, direction: 'easier' as const, accuracyBefore: 0.1, accuracyAfter: 0.5, accepted: true } }] as const] // prettier-ignore
          : [],
      ),
    )
    const measuredWith = (played: number) => {
      const tasks = { get: () => ({ history: [{ played }] }) }
      const { started, settingsChanges } = view
      return lesson('acceptance').observe({ started, settingsChanges, rewrites, tasks } as unknown as RunView)
    }
    expect(rewrites.size).toBeGreaterThan(4)
    expect(measuredWith(2).isMade).toBe(true)
    expect(measuredWith(32).isMade).toBe(false)
  })

  it('components that change alone, but not a run in which both do', async () => {
    const first = await logOf(world(), request(smallSettings(), { iterations: 1, only: 'policy' }))
    const both = await logOf(world(), request(smallSettings(), { iterations: 1, only: 'reward', history: first }))
    expect(observe(lesson('ablations'), foldRun([...first, ...both])).isMade).toBe(true)
    expect(observe(lesson('ablations'), foldRun(first)).isMade).toBe(false)
    expect(observe(lesson('ablations'), await play('ablations', {}, { iterations: 3 })).isMade).toBe(false)
  })

  it('a gap to out-of-distribution tasks in the recorded run', () => {
    const view = recordedHousehold()
    expect(lesson('out-of-distribution').observe(view).isMade).toBe(true)
    const other = (name: string) => (name.includes('ood') ? name.replace('ood', 'id') : name.replace('id', 'ood'))
    const swapped = { series: (name: string) => view.series(other(name)) }
    expect(lesson('out-of-distribution').observe(swapped as unknown as RunView).isMade).toBe(false)
  })

  it('silent unanimity with the released grouping, but not with the paper’s', async () => {
    const released = { profile: 'reference', rewardGrouping: 'vote', singleSurvivor: 'raw' } as const
    const view = await play('released', released, { iterations: 4 })
    expect(observe(lesson('released'), view).isMade).toBe(true)
    const paper = await play('released', { rewardGrouping: 'step' }, { iterations: 4 })
    expect(lesson('released').observe(paper).isMade).toBe(false)
  })

  it('false tests that cost their writer, but not with true and false swapped', async () => {
    const log = await logOf(codingWorld(), request(codingSettings({ tasksPerIteration: 8 }), { iterations: 6 }))
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
  })
})
