import { afterEach, describe, expect, it, vi } from 'vitest'
import { PublishedResults } from '../../../../src/playground/state/published-results.svelte.ts'
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
    const published = new PublishedResults()
    expect(published.state).toBe('loading')
    await published.load()
    expect(published.state).toBe('ready')
    expect(published.table('household')).toEqual(madeUpResults())
    expect(published.table('map')).toBeNull()
  })

  it('say what is wrong, and can be loaded again', async () => {
    serve({ './results/index.json': '<!doctype html>' })
    const published = new PublishedResults()
    await published.load()
    expect([published.state, published.problem]).toEqual(['failed', './results/index.json is not JSON.'])
    serve({ './results/index.json': { tables: ['household'] } })
    await published.load()
    expect(published.problem).toBe('./results/household.json answered with status 404.')
    serve({ './results/index.json': { tables: [] } })
    await published.load()
    expect([published.state, published.problem]).toEqual(['ready', null])
  })
})
