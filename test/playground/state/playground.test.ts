import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { DeviceCare } from '../../../src/playground/state/device-care.svelte.ts'
import type { WorldShelf, WorldSupplies } from '../../../src/playground/state/world-shelf.ts'
import { folderSource } from '../../../src/roles/source.ts'
import { newSummary } from '../../../src/runs/run-store.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { fakeRunLines } from '../fake-run.ts'
import { HOUSEHOLD_LOG as household, page, running, shelf, standInForPage } from './opened-page.ts'
import { keptRuns, settle } from './page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('offers to resume a run whose worker stopped, from its last checkpoint', async () => {
  const runs = keptRuns()
  const { loop, playground } = page(runs)
  await playground.open()
  await playground.launcher.runOrPause()
  const { runId } = playground.live
  const request = { runId, preset: 'household', settings: presetSettings('household'), iterations: 9 }
  Object.assign(runs, {
    entries: [{ ...newSummary(request), checkpoints: [{ iteration: 4, eventCount: 9, bytes: 1 }] }],
  })
  expect(playground.launcher.kept.offer).toBeNull()
  loop.lose('It crashed.')
  expect(playground.launcher.kept.offer).toMatchObject({ runId, finishedIterations: 4 })

  // Its own settings replace those on the controls first.
  await playground.launcher.resumeKept(runId)
  playground.set('lambda', 3)
  expect(loop.names).toEqual(['start', 'resumeRun'])
  loop.say({ type: 'events', runId, batch: parseRunLog(household) })
  loop.say({ type: 'status', runId, status: { state: 'running' } })
  await settle()
  playground.set('lambda', 3)
  expect(loop.commands.at(-1)).toEqual(['patch', { lambda: 3 }])
})

it('passes settings on to a branch that is still being opened', async () => {
  const { loop, playground } = page()
  await playground.open()
  const request = { runId: 'a', preset: 'household', settings: presetSettings('household'), iterations: 9 }
  await playground.launcher.branch(newSummary(request), 4)
  playground.set('lambda', 3)
  expect(loop.names).toEqual(['branchRun', 'patch'])
})

describe('a run in a world from a file', () => {
  const worldFile = { name: 'Numbers', file: 'numbers.ts', script: 'x', hash: 'a' }
  const policy = folderSource('local:numbers.models/own-policy')
  const supplies = { worldFile, models: { policy } }

  it('lacks a file, then models, until both roles that learn have one', async () => {
    const own: Pick<WorldShelf, 'look'> & { supplies?: WorldSupplies } = { ...shelf }
    const { playground } = page(keptRuns(), new DeviceCare(false), own)
    expect(playground.lack).toBeNull()
    await playground.chooseWorld('own')
    expect(playground.lack).toBe('file')
    own.supplies = supplies
    expect(playground.lack).toBe('model')
    playground.launcher.models.change('reward', {
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:8000/v1',
      model: 'judge',
    })
    expect(playground.lack).toBeNull()
  })

  it('starts with the file and the models that the shelf has, in place of built-in ones', async () => {
    const { playground, loop } = page(keptRuns(), new DeviceCare(false), { ...shelf, supplies })
    await playground.open()
    await playground.chooseWorld('own')
    await playground.launcher.step()
    expect(loop.commands.at(-1)).toMatchObject(['stepOnce', undefined, { worldFile, models: { policy } }])
  })

  it('is not what a run in another world starts with', async () => {
    const { playground, loop } = page(keptRuns(), new DeviceCare(false), { ...shelf, supplies })
    await playground.open()
    await playground.launcher.runOrPause()
    expect(loop.commands.at(-1)![1]).toMatchObject({ preset: 'household' })
    expect(loop.commands.at(-1)![1]).not.toHaveProperty('worldFile')
  })

  it('keeps a model that was chosen for a role', async () => {
    const { playground, loop } = page(keptRuns(), new DeviceCare(false), { ...shelf, supplies })
    await playground.open()
    await playground.chooseWorld('own')
    playground.launcher.models.change('policy', { kind: 'openai', model: 'mine' })
    await playground.launcher.runOrPause()
    expect(loop.commands.at(-1)).toMatchObject(['start', { worldFile, models: { policy: { kind: 'openai' } } }])
  })
})

describe('the run on show', () => {
  it('stays the recorded one while a world chosen during the start is loading', async () => {
    let endLook = () => {}
    let endLoading = () => {}
    const look = () => new Promise<void>((resolve) => (endLook = resolve))
    const coding = new Promise<void>((resolve) => (endLoading = resolve))
    const fetchRecording = globalThis.fetch
    vi.stubGlobal('fetch', async (address: string) => {
      if (address.includes('coding')) await coding
      return fetchRecording(address)
    })
    const { playground } = page(keptRuns(), new DeviceCare(false), { ...shelf, look })
    const opened = playground.open()
    const chosen = playground.chooseWorld('coding')
    endLook()
    await opened
    expect(playground.source).toBe('recorded')
    endLoading()
    await chosen
    expect([playground.source, playground.shownWorld]).toEqual(['recorded', 'coding'])
  })

  it('is the recorded run of the world when the page opens, and yours once you press Run', async () => {
    const { playground, loop } = page()
    await playground.open()
    expect([playground.source, playground.shown.run.origin, playground.view.iterations.length]).toEqual([
      'recorded',
      'shipped',
      3,
    ])
    await playground.launcher.runOrPause()
    await settle()
    expect([playground.source, playground.launcher.hasLiveRun]).toEqual(['live', true])
    expect(playground.viewFor('tasks')).toBe(playground.live.view)
    expect(loop.commands[0]).toMatchObject(['start', { preset: 'household', settings: { world: 'household' } }])
  })

  it('is the live one where no recording could be loaded', async () => {
    vi.stubGlobal('fetch', async () => new Response(null, { status: 404 }))
    const { playground } = page()
    await playground.open()
    expect([playground.source, playground.hasRecording]).toEqual(['live', false])
  })

  it('changes panel by panel', async () => {
    const { playground } = page()
    await playground.open()
    playground.show('live')
    expect(playground.shown.runFor('loop')).toBe(playground.live)
    expect(playground.shown.runFor('tasks'), 'the last panel turns later').toBe(playground.recorded)
    await settle()
    expect(playground.shown.runFor('tasks')).toBe(playground.live)
  })

  it('becomes the recording of another world when you choose it', async () => {
    const { playground } = page()
    await playground.open()
    await playground.chooseWorld('coding')
    expect([playground.world, playground.shownWorld, playground.source]).toEqual(['coding', 'coding', 'recorded'])
    await playground.showShipped()
    expect(playground.shownWorld).toBe('coding')
  })

  it('stays your run until the recording of another world is loaded', async () => {
    const { playground } = await running()
    const choosing = playground.chooseWorld('coding')
    expect([playground.source, playground.isLoading]).toEqual(['live', false])
    await choosing
    expect([playground.source, playground.shownWorld, playground.live.isOpen]).toEqual(['recorded', 'coding', true])
  })

  it('becomes an arm of published results, with its world on the controls, under a name of its own', async () => {
    const { playground } = page()
    await playground.open()
    playground.set('seed', 7)
    expect(await playground.showRecording('coding-grpo')).toBeNull()
    expect([playground.world, playground.shownWorld, playground.source]).toEqual(['coding', 'coding', 'recorded'])
    expect(playground.recorded.recording).toBe('coding-grpo')
    expect(playground.draft.replaced?.settings.seed, 'settings made by hand can come back').toBe(7)
    await playground.showShipped()
    expect(playground.recorded.recording).toBeNull()
  })

  it('stays that of the world on the controls if an arm cannot be loaded', async () => {
    const { playground } = page()
    await playground.open()
    expect(await playground.showRecording('coding-full')).toBe('runs/coding-full.jsonl.gz is missing.')
    const fetchOther = globalThis.fetch
    vi.stubGlobal('fetch', (address: string) =>
      address.includes('coding-full') ? Promise.reject(new TypeError('Failed to fetch')) : fetchOther(address),
    )
    expect(await playground.showRecording('coding-full')).toBe('Failed to fetch')
    expect(playground.recorded.failure, 'the usual run is there').toBeNull()
    expect([playground.world, playground.shownWorld]).toEqual(['household', 'household'])
  })

  it('is the arm that was asked for last while another one is loading', async () => {
    const { playground } = page()
    await playground.open()
    const shown = await Promise.all([playground.showRecording('coding-full'), playground.showRecording('coding-grpo')])
    expect(shown).toEqual([null, null])
    expect(playground.recorded.recording).toBe('coding-grpo')
  })

  it('is of the world that you chose, while yours continues unseen', async () => {
    const { playground, loop } = await running()
    loop.say({ type: 'events', runId: playground.live.runId, batch: parseRunLog(household).slice(0, 4) })
    await settle()
    await playground.chooseWorld('coding')
    expect([playground.shownWorld, playground.source, playground.live.isBusy]).toEqual(['coding', 'recorded', true])
    await playground.chooseWorld('household')
    expect([playground.shownWorld, playground.source]).toEqual(['household', 'live'])
  })

  it('is shown under a λ that you move, and as it was once another run is there', async () => {
    const { playground } = page(keptRuns({ kept: parseRunLog(household) }))
    await playground.open()
    expect(playground.triedLambda).toBe(null)
    playground.set('lambda', 0)
    expect(playground.triedLambda).toBe(0)
    await Promise.all([playground.openKept('kept'), settle()])
    expect([playground.triedLambda, playground.draft.values.lambda]).toEqual([null, 0])
    playground.tryLambda(true)
    expect(playground.triedLambda).toBe(0)
  })

  it('can be a kept run, at any iteration, by its id', async () => {
    const { playground } = page(keptRuns({ kept: parseRunLog(household) }))
    await playground.open()
    const opening = playground.openKept('kept', 2)
    await settle()
    await opening
    expect([playground.shownRunId, playground.recorded.iteration, playground.shown.run.lengthFor('loop')]).toEqual([
      'kept',
      2,
      3,
    ])
    expect(playground.view.iterations.length).toBe(2)
  })

  it('is the last of several imported runs, all chosen for comparison; one alone is not', async () => {
    const log = parseRunLog(household)
    const chosen: string[] = []
    const runs = Object.assign(keptRuns({ first: log, second: log }), {
      importFiles: async (files: readonly File[]) => files.map(({ name }) => ({ runId: name })),
      choose: async (runId: string) => void chosen.push(runId),
    })
    const { playground } = page(runs)
    await playground.open()
    const importing = (...names: string[]) => playground.importRuns(names.map((name) => new File([], name)))
    await Promise.all([importing('first'), settle()])
    expect([playground.shownRunId, chosen]).toEqual(['first', []])
    await Promise.all([importing('first', 'second'), settle()])
    expect([playground.shownRunId, chosen]).toEqual(['second', ['first', 'second']])
  })

  it('can be a log from a file, and stays when a file cannot be read', async () => {
    const { playground } = page()
    await playground.open()
    await playground.openFile(new File([fakeRunLines({ iterations: 5 })], 'mine.jsonl'))
    expect([playground.recorded.origin, playground.view.iterations.length]).toEqual(['file', 5])
    await playground.openFile(new File(['not a log'], 'other.txt'))
    expect(playground.recorded.failure?.what).toContain('other.txt')
    expect([playground.recorded.fileName, playground.view.iterations.length]).toEqual(['mine.jsonl', 5])
  })
})

describe('a log that is opened while the shipped recording loads', () => {
  /** A page whose recording loads once the test lets it. */
  function loading() {
    let load = () => {}
    const asked = new Promise<void>((resolve) => (load = resolve))
    const fetchRecording = globalThis.fetch
    vi.stubGlobal('fetch', async (address: string) => {
      await asked
      return fetchRecording(address)
    })
    const { playground } = page()
    return { playground, opened: playground.open(), load }
  }

  it('is reported if it is damaged, and the recording still appears', async () => {
    const { playground, opened, load } = loading()
    await playground.openFile(new File(['not a log'], 'other.txt'))
    expect(playground.isLoading).toBe(true)
    load()
    await opened
    expect([playground.source, playground.hasRecording, playground.isLoading]).toEqual(['recorded', true, false])
    expect(playground.recorded.failure?.what).toContain('other.txt')
  })

  it('stays on show when the recording arrives', async () => {
    const { playground, opened, load } = loading()
    await playground.openFile(new File([fakeRunLines({ iterations: 5 })], 'mine.jsonl'))
    load()
    await opened
    expect([playground.source, playground.recorded.fileName, playground.view.iterations.length]).toEqual([
      'recorded',
      'mine.jsonl',
      5,
    ])
  })

  it('appears in place of the recording that arrived while it was read', async () => {
    const { playground, opened, load } = loading()
    let read = () => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        read = () => {
          controller.enqueue(new TextEncoder().encode(fakeRunLines({ iterations: 5 })))
          controller.close()
        }
      },
    })
    const opening = playground.openFile(Object.assign(new File([], 'mine.jsonl'), { stream: () => body }))
    load()
    await opened
    expect([playground.source, playground.view.iterations.length, playground.isLoading]).toEqual(['recorded', 3, true])
    read()
    await opening
    expect([playground.recorded.fileName, playground.view.iterations.length, playground.isLoading]).toEqual([
      'mine.jsonl',
      5,
      false,
    ])
  })
})

describe('a run under way', () => {
  it('pauses and resumes with the same button', async () => {
    const { playground, loop, runId } = await running()
    await playground.launcher.runOrPause()
    expect(playground.live.status.state).toBe('pausing')
    loop.say({ type: 'status', runId, status: { state: 'paused' } })
    await playground.launcher.runOrPause()
    expect(loop.names).toEqual(['start', 'pause', 'resume'])
  })

  it('takes over the settings that can change, and not the others', async () => {
    const { playground, loop } = await running()
    playground.set('lambda', 3)
    playground.set('groupSize', 4)
    expect(loop.commands.slice(1).filter(([name]) => name === 'patch')).toContainEqual(['patch', { lambda: 3 }])
    expect(playground.draft.values).toMatchObject({ lambda: 3, groupSize: 4 })
  })

  it('takes no settings of another world, nor those of a link', async () => {
    const { playground, loop } = await running()
    await playground.chooseWorld('coding')
    const before = loop.commands.length
    playground.set('lambda', 3)
    expect(loop.commands.length).toBe(before)
    await playground.follow({
      preset: 'household',
      settings: presetSettings('household'),
      backend: 'auto',
      iterations: 5,
    })
    playground.set('lambda', 4)
    expect(loop.commands.length).toBe(before)
  })

  it('runs one iteration with Step, unless it is busy', async () => {
    const { playground, loop, runId } = await running()
    await playground.launcher.step()
    expect(loop.names).toEqual(['start'])
    loop.say({ type: 'status', runId, status: { state: 'paused' } })
    await playground.launcher.step('policy')
    expect(loop.commands.at(-1)).toEqual(['stepOnce', 'policy'])
  })

  it('says why the log of the run cannot be downloaded, until it can', async () => {
    const { playground, loop } = await running()
    loop.error = new Error('The log of run a is no longer kept.')
    await playground.launcher.saveLog()
    expect(playground.live.notice).toBe('The log of run a is no longer kept.')
    await playground.launcher.saveLog()
    expect(playground.live.notice).toBeNull()
  })
})

describe('settings that were replaced', () => {
  it('come back, and with them the recording of their world', async () => {
    const { playground } = page()
    await playground.open()
    playground.set('lambda', 2)
    await playground.chooseWorld('coding')
    expect(playground.shownWorld).toBe('coding')
    await playground.restoreSettings()
    expect([playground.draft.values.lambda, playground.world, playground.shownWorld]).toEqual([
      2,
      'household',
      'household',
    ])
  })
})

describe('the models of a kept run', () => {
  it('play the roles of the next run that they were saved for, and no others', async () => {
    const asked: unknown[] = []
    const runs = Object.assign(keptRuns(), {
      addModels: async (...args: unknown[]) => {
        asked.push(args)
        return { policy: 'run-1-4-policy' }
      },
    })
    const { playground, loop } = page(runs)
    await playground.open()
    const run = newSummary({
      runId: 'run-1',
      preset: 'household',
      settings: presetSettings('household'),
      iterations: 8,
    })
    expect(await playground.launcher.startFrom(run, 4)).toBe(true)
    expect([asked, playground.launcher.models.foldersAdded]).toEqual([[['run-1', 4]], 1])
    await playground.launcher.runOrPause()
    expect(loop.commands[0]).toMatchObject([
      'start',
      {
        models: {
          policy: { kind: 'checkpoint', location: 'local:run-1-4-policy', adapters: null },
          reward: { kind: 'built-in' },
        },
      },
    ])
  })

  it('change nothing if they could not be opened', async () => {
    const { playground } = page(Object.assign(keptRuns(), { addModels: async () => null }))
    const run = newSummary({
      runId: 'run-1',
      preset: 'household',
      settings: presetSettings('household'),
      iterations: 8,
    })
    expect(await playground.launcher.startFrom(run, 4)).toBe(false)
    expect(playground.launcher.models.isBuiltIn).toBe(true)
  })
})
