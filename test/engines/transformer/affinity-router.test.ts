import { describe, expect, it } from 'vitest'
import { AffinityRouter } from '../../../src/engines/transformer/affinity-router.ts'

const request = (affinity?: string, count = 1) => ({ count, ...(affinity !== undefined && { affinity }) })

describe('dividing requests over samplers', () => {
  it('gives a new affinity to the sampler with the least to do', () => {
    const router = new AffinityRouter(2)
    expect(router.divide([request('a', 5), request('b'), request('c'), request('d')])).toEqual([[0], [1, 2, 3]])
  })

  it('keeps an affinity where it was, whatever else there is to do', () => {
    const router = new AffinityRouter(2)
    router.divide([request('a'), request('b')])
    expect(router.divide([request('b', 9), request('b'), request('c'), request('a')])).toEqual([
      [3, 2],
      [0, 1],
    ])
  })

  it('puts requests of one affinity together when they first appear', () => {
    const shares = new AffinityRouter(3).divide(['a', 'b', 'a', 'c', 'b', 'a'].map((name) => request(name)))
    expect(shares).toEqual([[0, 2, 5], [1, 4], [3]])
  })

  it('spreads requests without an affinity, and forgets', () => {
    const router = new AffinityRouter(2)
    expect(router.divide([request(), request(), request()])).toEqual([[0, 2], [1]])
    router.divide([request('a', 3), request('b')])
    router.forget()
    expect(router.divide([request('b', 3), request('a')])).toEqual([[0], [1]])
  })

  it('does not remember for ever what a model that never learns has read', () => {
    const router = new AffinityRouter(2)
    router.divide([request('first', 2), request('second')])
    router.divide(Array.from({ length: 10_000 }, (_, i) => request(`task ${i}`)))
    expect(router.divide([request('second', 2), request('first')])).toEqual([[0], [1]])
  })
})
