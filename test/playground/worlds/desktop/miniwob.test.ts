/** The check of a wheel's pages: one at a time, kept on the way, and without what only a slow machine says. */
import { beforeEach, describe, expect, it } from 'vitest'
import { MiniWob } from '../../../../src/playground/worlds/desktop/miniwob/miniwob.svelte.ts'
import type { PickedFile } from '../../../../src/storage/dropped-files.ts'
import type { PageCheck } from '../../../../src/worlds/desktop/miniwob/check-page.ts'
import { WheelLibrary } from '../../../../src/worlds/desktop/miniwob/wheel-library.ts'
import { readWheel } from '../../../../src/worlds/desktop/miniwob/wheel.ts'
import { freshDatabases } from '../../../storage/fresh-databases.ts'
import { CORE_FILES, wheelOf } from '../../../worlds/desktop/miniwob/small-wheel.ts'

const RUNS: PageCheck = { problem: null, hasPictures: false }
const openStage = () => ({ open: () => Promise.reject(new Error('no page is opened here')), close() {} })
const NAMES = Array.from({ length: 25 }, (_, index) => `page-${String(index).padStart(2, '0')}`)

let library: WheelLibrary
let file: File
beforeEach(async () => {
  freshDatabases()
  library = new WheelLibrary()
  const pages = NAMES.map((name): [string, string] => [`miniwob/html/miniwob/${name}.html`, '<html></html>'])
  file = new File([await wheelOf({ ...CORE_FILES, ...Object.fromEntries<string>(pages) })], 'miniwob.whl')
})

/** With what checks a page, and calls of it. */
function miniwob(checkOf: (name: string) => Promise<PageCheck>) {
  const checked: string[] = []
  const tools = {
    ...{ library, readWheel, openStage },
    checkOf: (_stage: unknown, _wheel: unknown, { name }: { name: string }) => (checked.push(name), checkOf(name)),
  }
  return { tools, checked, wheels: new MiniWob(async () => tools) }
}

/** Resolves when no check runs any more. */
const isChecked = (wheels: MiniWob) => expect.poll(() => wheels.checked === null && Object.keys(wheels.checks).length).toBe(25) // prettier-ignore

describe('the check of the pages', () => {
  it('is one, though two wheels come in quick succession', async () => {
    const { tools, checked } = miniwob(async () => RUNS)
    let loads = 0
    let loadForCheck = () => {}
    const isThere = new Promise<void>((resolve) => (loadForCheck = resolve))
    const wheels = new MiniWob(async () => {
      if (++loads > 2) await isThere
      return tools
    })
    await Promise.all([wheels.take(file), wheels.take(file)])
    loadForCheck()
    await isChecked(wheels)
    expect(checked).toEqual(NAMES)
  })

  it('keeps what it found on the way', async () => {
    let kept = -1
    const { wheels } = miniwob(async (name) => {
      if (name === NAMES[24]) kept = Object.keys((await library.get())!.checks).length
      return RUNS
    })
    await wheels.take(file)
    await isChecked(wheels)
    expect(kept).toBe(20)
  })

  it('is made again for a page that did not answer in time', async () => {
    const late: PageCheck = { problem: 'The page did not answer.', hasPictures: false, isPassing: true }
    const first = miniwob(async (name) => (name === 'page-03' ? late : RUNS))
    await first.wheels.take(file)
    await isChecked(first.wheels)
    expect(first.wheels.checks['page-03']).toEqual(late)
    const second = miniwob(async () => RUNS)
    await second.wheels.open()
    await isChecked(second.wheels)
    expect(second.checked).toEqual(['page-03'])
    expect(second.wheels.checks['page-03']).toEqual(RUNS)
  })

  it('says so if its part of the page cannot be loaded', async () => {
    const { tools } = miniwob(async () => RUNS)
    let loads = 0
    const wheels = new MiniWob(async () => {
      if (loads++ > 0) throw new Error('offline')
      return tools
    })
    await wheels.take(file)
    await expect.poll(() => wheels.failure).toBe('offline')
    await wheels.check()
    expect(wheels.checked).toBeNull()
  })
})

describe('a drop with several wheels', () => {
  async function* picked(...files: PickedFile[]): AsyncGenerator<PickedFile> {
    yield* files
  }
  const named = (name: string): PickedFile => ({ path: name, file: new File([file], name) })

  it('takes one of MiniWoB++, and names the others', async () => {
    const { wheels } = miniwob(async () => RUNS)
    const drop = picked(named('numpy.whl'), named('miniwob-1.1.0.whl'), named('torch.whl'), named('notes.txt'))
    expect(await wheels.takeDropped([], drop)).toBe(true)
    expect(wheels.reading).toBe('miniwob-1.1.0.whl')
    expect(wheels.passedOver).toEqual([
      'Only miniwob-1.1.0.whl was read, because the page keeps one wheel. Not read: numpy.whl and torch.whl. Drop one alone to use it instead.',
    ])
    await isChecked(wheels)
    expect((await library.get())!.file).toBe('miniwob-1.1.0.whl')
    await wheels.takeDropped([], picked(named('other.whl')))
    expect(wheels.passedOver).toEqual([])
    await isChecked(wheels)
  })

  it('says which could not be opened', async () => {
    const { wheels } = miniwob(async () => RUNS)
    const drop = picked({ path: 'miniwob.whl', file: null, reason: 'It has been moved.' })
    expect(await wheels.takeDropped([], drop)).toBe(true)
    expect(wheels.passedOver).toEqual(['miniwob.whl could not be opened: It has been moved.'])
    expect(await wheels.takeDropped([], picked())).toBe(false)
  })
})
