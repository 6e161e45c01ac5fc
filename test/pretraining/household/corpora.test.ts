import { describe, expect, it } from 'vitest'
import { parseRewrite } from '../../../src/worlds/household/rewrites/language.ts'
import { householdFormats } from '../../../src/worlds/household/roles/plain-roles.ts'
import { authorPieces } from '../../../src/pretraining/author-corpus.ts'
import { policyPieces, rewardPieces } from '../../../src/pretraining/household/corpus.ts'

const POLICY = { slip: 0.3, maxSteps: 20, hints: 0.5 }
const REWARD = { slips: [0.2, 0.6] as const, maxSteps: 20, hints: 0.1, errors: { good: 0.1, bad: 0.5 } }
const INDICES = Array.from({ length: 20 }, (_, index) => index)

describe('the household corpora', () => {
  it('depend only on the seed', () => {
    expect(INDICES.map((index) => policyPieces(POLICY, 3, index))).toEqual(
      INDICES.map((index) => policyPieces(POLICY, 3, index)),
    )
    expect(policyPieces(POLICY, 3, 0)).not.toEqual(policyPieces(POLICY, 4, 0))
    expect(authorPieces(3, 1)).toEqual(authorPieces(3, 1))
  })

  it('contain only responses that the policy’s format reads', () => {
    for (const { text, isResponse } of INDICES.flatMap((index) => policyPieces(POLICY, 1, index))) {
      if (!isResponse) continue
      const { thought, command } = householdFormats.policy.parse(text)
      expect(thought).not.toBe('')
      expect(command).toMatch(/^[a-z]/)
    }
  })

  it('contain a parsable judgement of every step of a transcript', () => {
    for (const index of INDICES) {
      const pieces = rewardPieces(REWARD, 1, index)
      const asides = pieces.filter(({ asideCue }) => asideCue !== undefined)
      expect(asides.length).toBe((pieces.length - 1) / 2)
      for (const { text } of asides) {
        const { reasoning, score } = householdFormats.reward.parse(text)
        expect(reasoning).not.toBe('')
        expect(Math.abs(score)).toBe(1)
      }
    }
  })

  it('contain readable rewrites for the author', () => {
    for (const index of INDICES.slice(0, 6)) {
      const rewrite = authorPieces(2, index).at(-1)!
      expect(rewrite.isResponse).toBe(true)
      expect(parseRewrite(householdFormats.author.parse(rewrite.text))).not.toBeNull()
    }
  })
})
