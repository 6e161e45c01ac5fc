import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decodeMarked,
  encodeMarked,
  END_TOKEN,
  MARKED_PIECES,
  messagesOf,
  spreadLogProbs,
} from '../../../src/engines/openai/marked-text.ts'
import { begun, continued, opened } from '../../../src/worlds/instruct/conversation.ts'
import { foreignTextFor } from '../../../src/worlds/instruct/foreign-text.ts'
import { joinArrays } from '../../../src/method/join-arrays.ts'

/** Excludes unpaired surrogates, which UTF-8 cannot encode. */
const text = fc.string({ unit: 'binary' }).filter((value) => !/[\uE0C0\uE0C1]/.test(value))
const pieces = MARKED_PIECES

it('decodes every encoded text, including marks', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.constantFrom(...pieces.reserved)), { maxLength: 8 }), (parts) => {
      const whole = parts.join('')
      expect(decodeMarked(encodeMarked(whole))).toBe(whole)
    }),
  )
})

it('splits an appended transcript into its messages', () => {
  fc.assert(
    fc.property(text, text, fc.array(fc.tuple(text, text), { maxLength: 4 }), (system, first, turns) => {
      let prompt = encodeMarked(opened(pieces, system, first))
      for (const [response, user] of turns)
        prompt = joinArrays(Int32Array, [
          prompt,
          encodeMarked(response),
          [END_TOKEN],
          encodeMarked(continued(pieces, user)),
        ])
      expect(messagesOf(prompt)).toEqual([
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: first },
        ...turns.flatMap(([response, user]) => [
          { role: 'assistant', content: response },
          { role: 'user', content: user },
        ]),
      ])
    }),
  )
})

it('keeps untrusted text within its message', () => {
  const foreign = foreignTextFor(pieces.reserved)
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.constantFrom(...pieces.reserved)), { maxLength: 6 }), (parts) => {
      const prompt = encodeMarked(opened(pieces, 'judge', `Game: ${foreign(parts.join(''))}!`))
      expect(messagesOf(prompt).map(({ role }) => role)).toEqual(['system', 'user'])
    }),
  )
})

it('refuses a prompt that is not a conversation with a cue', () => {
  expect(() => messagesOf(encodeMarked('just text'))).toThrow(/chatPieces/)
  expect(() => messagesOf(encodeMarked(begun(pieces, 'system') + 'user'))).toThrow(/cue for a response/)
  expect(() => messagesOf(encodeMarked(opened(pieces, 's', 'u') + 'begun'))).toThrow(/cue for a response/)
})

it('keeps the log-probability of a response when converting tokens to bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.integer({ min: -40, max: 0 }))), (tokens) => {
      const response = encodeMarked(tokens.map(([token]) => token).join(''))
      const spread = spreadLogProbs(
        response,
        tokens.map(([token, logProb]) => ({ bytes: new TextEncoder().encode(token).length, logProb })),
      )
      expect(spread).toHaveLength(response.length)
      expect(spread.reduce((sum, one) => sum + one, 0)).toBe(tokens.reduce((sum, [, one]) => sum + one, 0))
    }),
  )
})
