import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Failures } from '../../../src/playground/shell/failures.svelte.ts'
import { page, standInForPage } from '../state/opened-page.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const QUIET = { news: { failures: [], imports: [] } }
const REFUSED = { what: 'Problems: sums.jsonl', why: 'It is empty.', remedy: 'Choose the coding world.' }
const LOST = { what: 'The models could not be loaded.', why: 'The network is gone.', remedy: 'Press Run.' }

function opened() {
  const { loop, playground } = page()
  const coding = { news: { failures: [REFUSED], imports: [] } }
  const failures = new Failures(playground, { household: QUIET, desktop: QUIET, own: QUIET, coding })
  return { loop, playground, failures }
}
const notALog = () => new File(['no log'], 'notes.txt')
const named = ({ all }: Failures) => all.map(({ what }) => what)

describe('failures on the page', () => {
  it('stay until they are dismissed, one by one, and come back when they happen again', async () => {
    const { playground, failures } = opened()
    await playground.openFile(notALog())
    const NOTES = 'The file notes.txt could not be opened.'
    expect(named(failures)).toEqual([NOTES, REFUSED.what])
    failures.dismiss(failures.all[0]!)
    expect(named(failures)).toEqual([REFUSED.what])
    failures.dismiss(failures.all[0]!)
    expect(named(failures)).toEqual([])
    await playground.openFile(notALog())
    expect(named(failures)).toEqual([NOTES])
  })

  it('of a world are not reported while it is chosen, which reports them itself', async () => {
    const { playground, failures } = opened()
    await playground.chooseWorld('coding')
    expect(named(failures)).not.toContain(REFUSED.what)
  })

  it('of a run leave nothing behind if it never started', async () => {
    const { loop, playground, failures } = opened()
    await playground.launcher.runOrPause()
    loop.say({ type: 'status', runId: playground.live.runId, status: { state: 'failed', failure: LOST } })
    expect(failures.ofRun).toEqual(LOST)
    failures.dismiss(failures.ofRun!)
    expect(failures.ofRun).toBeNull()
    expect(playground.live.status.state).toBe('idle')
  })
})
