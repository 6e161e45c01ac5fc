import { describe, expect, it } from 'vitest'
import { supervisedExamples } from '../../src/pretraining/demonstration-corpus.ts'

const END = 0
const encode = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))

describe('demonstrations as supervised examples', () => {
  it('learn a response after everything before it, and close it', () => {
    const examples = supervisedExamples(
      [
        { text: 'ab', weight: 0 },
        { text: 'c', weight: 1, isResponse: true },
        { text: 'd', weight: 0.5 },
      ],
      encode,
      END,
    )
    expect(examples.map(({ prompt, response, weight }) => [[...prompt], [...response], weight])).toEqual([
      [[97, 98], [99, END], 1],
      [[97, 98, 99, END], [100], 0.5],
    ])
  })

  it('keep neither an aside nor its cue for later pieces', () => {
    const examples = supervisedExamples(
      [
        { text: 'a', weight: 0 },
        { text: 'x', weight: 1, isResponse: true, asideCue: '?' },
        { text: 'b', weight: 1 },
      ],
      encode,
      END,
    )
    expect(examples.map(({ prompt }) => [...prompt])).toEqual([[97, 63], [97]])
  })
})
