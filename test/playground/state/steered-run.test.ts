/** Which changes of the controls reach the run in this tab, and what becomes of those that it refuses. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import type { Playground } from '../../../src/playground/state/playground.svelte.ts'
import { HOUSEHOLD_LOG, running, standInForPage } from './opened-page.ts'
import { settle, type FakeLoop } from './page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const patches = (loop: FakeLoop) => loop.commands.flatMap(([name, patch]) => (name === 'patch' ? [patch] : []))

const followLink = (playground: Playground, lambda: number) =>
  playground.follow({
    preset: 'household',
    settings: { ...presetSettings('household'), lambda },
    backend: 'auto',
    iterations: 5,
  })

describe('a run whose reader looks at another world and comes back', () => {
  it('keeps its settings, which are on the controls again', async () => {
    const { playground, loop } = await running()
    playground.set('lambda', 5)
    playground.set('groupSize', 4)
    const sent = patches(loop)
    await playground.chooseWorld('coding')
    expect(playground.launcher.takesChanges).toBe(false)
    await playground.chooseWorld('household')
    expect(patches(loop)).toEqual(sent)
    expect(playground.draft.values).toMatchObject({ lambda: 5, groupSize: 4 })
    expect(playground.launcher.takesChanges).toBe(true)
    playground.set('lambda', 2)
    expect(patches(loop).slice(sent.length)).toEqual([{ lambda: 2 }])
  })

  it('is sent nothing if it was left untouched', async () => {
    const { playground, loop } = await running()
    await playground.chooseWorld('coding')
    await playground.chooseWorld('household')
    expect(patches(loop)).toEqual([])
  })

  it('keeps its settings when the recording of a published result brings its world back', async () => {
    const { playground, loop } = await running()
    playground.set('lambda', 5)
    await playground.showRecording('coding-grpo')
    expect(playground.world).toBe('coding')
    vi.stubGlobal('fetch', async () => new Response(HOUSEHOLD_LOG))
    await playground.showRecording('household-full')
    expect(playground.draft.values).toMatchObject({ world: 'household', lambda: 5 })
    expect(patches(loop)).toEqual([{ lambda: 5 }])
  })

  it('leaves settings for the next run to be restored', async () => {
    const { playground, loop } = await running()
    playground.set('seed', 7)
    await playground.chooseWorld('coding')
    await playground.chooseWorld('household')
    expect(playground.draft.values.seed).toBe(0)
    await playground.restoreSettings()
    expect(playground.draft.values.seed).toBe(7)
    expect(patches(loop)).toEqual([])
  })

  it('gives way to the preset of its world once it has ended', async () => {
    const { playground, loop, runId } = await running()
    playground.set('lambda', 5)
    loop.say({ type: 'status', runId, status: { state: 'finished', reason: 'completed' } })
    await playground.chooseWorld('coding')
    await playground.chooseWorld('household')
    expect(playground.draft.values.lambda).toBe(presetSettings('household').lambda)
  })
})

describe('a run under way', () => {
  it('gets what a preset changes of its settings, and no value that it has', async () => {
    const { playground, loop } = await running()
    playground.set('groupSize', 4)
    playground.choosePreset('household+policy-only')
    const change = { groupSize: 8, trainReward: false, adaptEnvironment: false }
    expect(patches(loop)).toEqual([{ groupSize: 4 }, change])
    playground.set('groupSize', 8)
    expect(patches(loop)).toHaveLength(2)
  })

  it('takes no changes while the settings of a link are on the controls, and takes them once its own are restored', async () => {
    const { playground, loop } = await running()
    playground.set('lambda', 3)
    const { launcher } = playground
    await followLink(playground, 2)
    expect(launcher.takesChanges).toBe(false)
    playground.set('lambda', 4)
    await playground.restoreSettings()
    expect(launcher.takesChanges).toBe(true)
    playground.set('lambda', 7)
    expect(patches(loop)).toEqual([{ lambda: 3 }, { lambda: 7 }])
  })

  it('takes nothing of a link whose settings are restored, even after a preset replaced them', async () => {
    const { playground, loop } = await running()
    playground.set('lambda', 3)
    await followLink(playground, 2)
    await playground.restoreSettings()
    await playground.restoreSettings()
    expect(playground.draft.values.lambda).toBe(2)
    expect(playground.launcher.takesChanges).toBe(false)
    playground.choosePreset('household+policy-only')
    await playground.restoreSettings()
    expect(playground.draft.values.lambda).toBe(2)
    expect([playground.launcher.takesChanges, patches(loop)]).toEqual([false, [{ lambda: 3 }]])
  })

  it('takes no changes if a link replaced nothing that could be restored', async () => {
    const { playground, loop } = await running()
    await followLink(playground, 2)
    await playground.restoreSettings()
    expect([playground.launcher.takesChanges, patches(loop)]).toEqual([false, []])
  })

  it('takes no changes once it has ended, or if it belongs to the queue', async () => {
    const { playground, loop, runId } = await running()
    loop.say({ type: 'status', runId, status: { state: 'finished', reason: 'completed' } })
    expect(playground.launcher.takesChanges).toBe(false)
    await playground.launcher.runPlan(['full'], 1, 4)
    expect(playground.live.isOpen).toBe(true)
    expect(playground.launcher.takesChanges).toBe(false)
  })
})

describe('a command that the run refuses', () => {
  const refusal = new Error('The policy model should learn but cannot.')

  it('is a notice, and the setting goes back to the value of the run', async () => {
    const { playground, loop } = await running()
    playground.set('trainPolicy', false)
    await settle()
    loop.error = refusal
    playground.set('trainPolicy', true)
    playground.set('lambda', 3)
    await settle()
    expect([playground.live.status.state, playground.live.isOpen]).toEqual(['running', true])
    expect(playground.live.notice).toBe(`The setting could not be changed. ${refusal.message}`)
    expect(playground.draft.values).toMatchObject({ trainPolicy: false, lambda: 3 })
    playground.set('trainPolicy', true)
    expect(patches(loop).at(-1), 'the run was never given it').toEqual({ trainPolicy: true })
    expect(playground.live.notice, 'until the next command').toBeNull()
  })

  it('leaves a value on the controls that was chosen meanwhile', async () => {
    const { playground, loop } = await running()
    loop.error = refusal
    playground.set('groupSize', 6)
    playground.set('groupSize', 5)
    await settle()
    expect(playground.draft.values.groupSize).toBe(5)
    loop.error = refusal
    playground.set('groupSize', 7)
    await playground.chooseWorld('coding')
    await settle()
    expect(playground.draft.values.groupSize, 'of the other world').toBe(presetSettings('coding').groupSize)
    await playground.chooseWorld('household')
    expect(playground.draft.values.groupSize).toBe(5)
  })

  it('leaves a run that runs or rests as it was if it is Pause, Step or Stop', async () => {
    const { playground, loop, runId } = await running()
    const { live, launcher } = playground
    loop.error = refusal
    await launcher.runOrPause()
    expect([live.status.state, live.notice]).toEqual(['running', `The run could not be paused. ${refusal.message}`])
    loop.say({ type: 'status', runId, status: { state: 'paused' } })
    loop.error = refusal
    await launcher.step('policy')
    expect([live.status.state, live.notice]).toEqual(['paused', `The iteration could not be run. ${refusal.message}`])
    loop.error = refusal
    await launcher.commands.stop()
    expect([live.status.state, live.notice]).toEqual(['paused', `The run could not be stopped. ${refusal.message}`])
  })

  it('does not hide an earlier notice for good', async () => {
    const { playground, loop, runId } = await running()
    loop.say({ type: 'notice', runId, text: 'The disk is full.' })
    loop.error = refusal
    playground.set('trainPolicy', false)
    await settle()
    playground.set('lambda', 3)
    expect(playground.live.notice).toBe('The disk is full.')
  })

  it('does not hide why its worker stopped, and settings made by hand stay', async () => {
    const { playground, loop } = await running()
    loop.error = refusal
    playground.set('lambda', 3)
    loop.lose('It crashed.')
    await settle()
    expect(playground.live.status).toMatchObject({ failure: { why: 'It crashed.' } })
    expect([playground.draft.values.lambda, playground.live.notice]).toEqual([3, null])
  })

  it('fails a run that cannot be started, but not one that began after it', async () => {
    const { playground, loop, runId } = await running()
    loop.say({ type: 'status', runId, status: { state: 'finished', reason: 'completed' } })
    loop.error = refusal
    await playground.launcher.runOrPause()
    expect(playground.live.status.state).toBe('failed')
    loop.error = refusal
    const failing = playground.launcher.runOrPause()
    await vi.waitFor(() => expect(loop.names.filter((name) => name === 'start')).toHaveLength(3))
    playground.live.expect('other')
    await failing
    expect(playground.live.status.state).toBe('loading')
  })
})
