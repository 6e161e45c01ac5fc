import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  FEWEST_TEXTS,
  EmbeddingSpace,
  pairDistances,
  placedDistance,
} from '../../../src/language-model/embedding/embedding-space.ts'
import { TextEmbedder } from '../../../src/language-model/embedding/text-embedding.ts'
import { naiveLogits } from '../naive-transformer.ts'
import { PLAIN, tinyTransformer, useBackend } from '../tiny-model.ts'

const { transformer, weights } = tinyTransformer(PLAIN)
const { config } = transformer
const { hiddenSize: d } = config
/** Letters of the text are its tokens. */
const encode = (text: string) => Int32Array.from(text, (letter) => letter.charCodeAt(0) - 95)
const TEXTS = ['abc', 'abcd', 'x', '', 'abx', 'zzzzyyyy', 'abc']

/** Hidden states as the naive decoder's logits on an output layer that is the identity: d tokens, of which each reads one number. */
function naiveEmbedding(text: string, layers: number): number[] {
  if (text === '') return Array.from({ length: d }, () => 0)
  const identity = Float32Array.from({ length: d * d }, (_, i) => (i % (d + 1) === 0 ? 1 : 0))
  const rows = naiveLogits(
    { ...config, layers, tiedEmbeddings: false, vocabularySize: d },
    new Map([...weights, ['lm_head.weight', identity]]),
    encode(text),
  )
  return Array.from({ length: d }, (_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length)
}

describe.each(['cpu', 'simd'])('texts as vectors on %s', (backend) => {
  beforeAll(() => useBackend(backend))

  it.each([0, 1, 2])('are the mean of the naive decoder’s normalised states after %i layers', async (layers) => {
    const rows = await new TextEmbedder(transformer, encode, { layers }).embed(TEXTS)
    for (const [i, text] of TEXTS.entries()) {
      const expected = naiveEmbedding(text, layers)
      rows[i]!.forEach((value, k) => expect(value, `${text} ${k}`).toBeCloseTo(expected[k]!, 4))
    }
    expect(rows[0]).toEqual(rows[6])
  })

  it('depend neither on the order nor on the batch', async () => {
    const letter = fc.constantFrom(...'abcxyz')
    const texts = fc.uniqueArray(fc.array(letter, { maxLength: 6 }).map((letters) => letters.join('')), { minLength: 2, maxLength: 8 }) // prettier-ignore
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(0, 2), fc.constantFrom(3, 512), async (some, layers, batchTokens) => {
        const whole = await new TextEmbedder(transformer, encode, { layers }).embed(some)
        const other = await new TextEmbedder(transformer, encode, { layers, batchTokens }).embed([...some].reverse())
        other.reverse()
        for (const [i, row] of whole.entries()) row.forEach((value, k) => expect(other[i]![k]).toBeCloseTo(value, 5))
      }),
      { numRuns: 25 },
    )
  })
})

it('reads no more of a text than it is told, and knows how many layers there are', async () => {
  await useBackend('cpu')
  const short = new TextEmbedder(transformer, encode, { layers: 2, longest: 3 })
  const [cut, whole] = await short.embed(['abcxyz', 'abc'])
  expect(cut).toEqual(whole)
  expect(() => new TextEmbedder(transformer, encode, { layers: 3 })).toThrow('This model has 2 layers')
})

describe('the space of a collection', () => {
  const numbers = fc.array(fc.float({ min: -4, max: 4, noNaN: true }), { minLength: 5, maxLength: 5 })
  const row = numbers.map((values) => Float32Array.from(values))

  it('puts equal rows at distance 0, in whatever it was made of, and all in [0, 2], the same both ways', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), row, row, (rows, a, b) => {
        const space = EmbeddingSpace.of(rows, 2)
        expect(placedDistance(space.place(a), space.place(a.slice()))).toBe(0)
        const there = placedDistance(space.place(a), space.place(b))
        expect(there).toBe(placedDistance(space.place(b), space.place(a)))
        expect(there >= 0 && there <= 2).toBe(true)
      }),
    )
  })

  it('has neither the mean nor the directions of the largest spread', () => {
    // Along two axes far more than along the third, around a far mean.
    const rows = Array.from({ length: 200 }, (_, i) =>
      Float32Array.of(100 + 20 * Math.sin(i), 50 + 10 * Math.cos(3 * i), -7 + Math.sin(7 * i)),
    )
    const space = EmbeddingSpace.of(rows, 2)
    const a = space.place(Float32Array.of(80, 60, -6))
    const b = space.place(Float32Array.of(120, 40, -6))
    expect(placedDistance(a, b)).toBeLessThan(0.05)
    expect(placedDistance(a, space.place(Float32Array.of(80, 60, -8)))).toBeGreaterThan(1.9)
    const centred = EmbeddingSpace.of(rows, 0)
    expect(placedDistance(centred.place(Float32Array.of(80, 60, -6)), centred.place(Float32Array.of(120, 40, -6)))).toBeGreaterThan(1.9) // prettier-ignore
  })

  it('takes no directions from a few texts, and nothing from one', () => {
    const few = Array.from({ length: FEWEST_TEXTS - 1 }, (_, i) => Float32Array.of(Math.sin(i), Math.cos(2 * i), 1))
    const some = Float32Array.of(0.3, -2, 4)
    expect(EmbeddingSpace.of(few, 2).place(some)).toEqual(EmbeddingSpace.of(few, 0).place(some))
    const [placed] = [EmbeddingSpace.of([Float32Array.of(3, 4)], 2).place(Float32Array.of(3, 4))]
    expect([...placed]).toEqual([0.6, 0.8])
  })

  it('sums the distances of all pairs as if each were measured', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const space = EmbeddingSpace.of(rows, 0)
        const placed = rows.map((each) => space.place(each))
        let sum = 0
        let pairs = 0
        for (let i = 0; i < placed.length; i++)
          for (let j = 0; j < i; j++, pairs++) sum += placedDistance(placed[i]!, placed[j]!)
        const found = pairDistances(placed)
        expect(found.pairs).toBe(pairs)
        expect(found.sum).toBeCloseTo(sum, 6)
      }),
    )
  })
})
