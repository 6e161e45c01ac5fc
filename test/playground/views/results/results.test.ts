import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPublishedResults } from '../../../../src/playground/state/published-results.ts'
import { madeUpResults } from '../../../results/made-up-results.ts'

afterEach(() => vi.unstubAllGlobals())

function serve(files: Record<string, unknown>): void {
  vi.stubGlobal('fetch', async (address: string) =>
    Object.hasOwn(files, address)
      ? new Response(typeof files[address] === 'string' ? files[address] : JSON.stringify(files[address]))
      : new Response(null, { status: 404 }),
  )
}

describe('the published results', () => {
  it('are the tables that are listed; the others have none', async () => {
    serve({ './results/index.json': { tables: ['household'] }, './results/household.json': madeUpResults() })
    const published = createPublishedResults()
    expect(published.of('household').state).toBe('loading')
    await published.load('household', 'map')
    expect(published.of('household')).toEqual({ state: 'ready', value: madeUpResults() })
    expect(published.of('map')).toEqual({ state: 'ready', value: null })
  })

  it('are fetched once for all views', async () => {
    serve({ './results/index.json': { tables: ['household'] }, './results/household.json': madeUpResults() })
    const fetched = vi.spyOn(globalThis, 'fetch')
    const published = createPublishedResults()
    await Promise.all([published.load('household'), published.load('household', 'map')])
    await published.load('household')
    expect(fetched.mock.calls.map(([address]) => address)).toEqual(['./results/index.json', './results/household.json'])
  })

  it('say what is wrong, and can be loaded again', async () => {
    serve({ './results/index.json': '<!doctype html>' })
    const published = createPublishedResults()
    const load = async () => {
      await published.load('household')
      return published.of('household')
    }
    expect(await load()).toEqual({ state: 'failed', problem: './results/index.json is not JSON.' })
    serve({ './results/index.json': { tables: ['household'] } })
    expect(await load()).toEqual({
      state: 'failed',
      problem: './results/household.json answered with status 404.',
    })
    serve({ './results/index.json': { tables: ['household'] }, './results/household.json': madeUpResults() })
    expect(await load()).toEqual({ state: 'ready', value: madeUpResults() })
  })
})
