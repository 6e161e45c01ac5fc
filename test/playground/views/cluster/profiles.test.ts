import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FIRST_PROFILE, freshId, parseProfileBook } from '../../../../src/playground/views/cluster/profiles.ts'
import { ClusterProfiles } from '../../../../src/playground/views/cluster/profiles.svelte.ts'

describe('profiles of gateways', () => {
  function keepIn(items: Map<string, string>): Map<string, string> {
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    })
    return items
  }
  afterEach(() => vi.unstubAllGlobals())

  it('are read from any stored text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(null)), (text) => {
        expect(parseProfileBook(text).profiles.length).toBeGreaterThan(0)
      }),
    )
    const kept = { profiles: [{ id: 'a', name: 'A', address: 'x' }, { id: 1 }], chosen: 'b' }
    expect(parseProfileBook(JSON.stringify(kept))).toEqual({ profiles: [kept.profiles[0]], chosen: null })
    expect(freshId([FIRST_PROFILE, { ...FIRST_PROFILE, id: 'gateway-3' }])).toBe('gateway-4')
  })

  it('keep a token only on request, and never with the profile', () => {
    const kept = keepIn(new Map())
    const profiles = new ClusterProfiles()
    profiles.setToken('secret', false)
    expect([...kept.values()].join()).not.toContain('secret')
    expect(profiles.token).toBe('secret')
    expect(new ClusterProfiles().token).toBe('')
    profiles.setToken('secret', true)
    expect(new ClusterProfiles().token).toBe('secret')
    profiles.add()
    expect(profiles.token).toBe('')
    profiles.choose('local')
    expect(kept.get('playground.cluster')).not.toContain('secret')
    // A token belongs to one server.
    profiles.change({ address: 'https://elsewhere' })
    expect(profiles.token).toBe('')
    expect([...kept.values()].join()).not.toContain('secret')
  })

  it('work if the browser stores nothing', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
    const profiles = new ClusterProfiles()
    profiles.change({ address: 'https://a' })
    profiles.setToken('t', true)
    expect([profiles.chosen.address, profiles.token]).toEqual(['https://a', 't'])
    profiles.remove()
    expect(profiles.all).toHaveLength(1)
  })
})
