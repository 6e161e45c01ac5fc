/** Messages of a page, whose scripts may send anything. */
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../../src/worlds/desktop/miniwob/page-message.ts'
import type { PageMessage, PageView } from '../../../../src/worlds/desktop/miniwob/protocol.ts'

const ELEMENT = { mark: 1, tag: 'button', text: 'go', value: '', name: '', colour: '', isFocused: false }
const VIEW: PageView = {
  ...{ utterance: 'Click.', elements: [{ ...ELEMENT, box: [0, 0, 9, 9] }], isDone: false, rawReward: 0 },
  ...{ isAccepted: true, error: null },
}
const answer = (view: unknown) => ({ about: 'miniwob', id: 1, view, problem: null })

describe('a message of a page', () => {
  it('is read as it was sent', () => {
    const messages: PageMessage[] = [
      { about: 'miniwob', left: true },
      { about: 'miniwob', id: null },
      { about: 'miniwob', id: 1, view: VIEW, problem: null },
      { about: 'miniwob', id: 1, view: null, problem: 'Error: no' },
    ]
    for (const message of messages) expect(readMessage(message)).toEqual(message)
  })

  it('is not read if anything in it is missing or of another kind', () => {
    const others = [
      ...[null, 'miniwob', {}, { about: 'miniwob' }, answer({}), answer(undefined), answer([VIEW])],
      answer({ ...VIEW, rawReward: '1' }),
      answer({ ...VIEW, rawReward: NaN }),
      answer({ ...VIEW, elements: null }),
      answer({ ...VIEW, elements: [{ ...ELEMENT, box: [0, 0, 9] }] }),
      { about: 'miniwob', id: 1, view: null, problem: { toString: 'no' } },
    ]
    for (const other of others) expect(readMessage(other)).toBeNull()
  })
})
