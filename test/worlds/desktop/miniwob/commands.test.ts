/** Commands as models write them, and the text of a page. */
import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../src/worlds/desktop/miniwob/commands.ts'
import { openingText, viewText } from '../../../../src/worlds/desktop/miniwob/page-text.ts'
import { MARKED_PIECES } from '../../../../src/engines/openai/marked-text.ts'
import { miniwobPolicy } from '../../../../src/worlds/desktop/miniwob/roles.ts'
import type { PageElement, PageView } from '../../../../src/worlds/desktop/miniwob/protocol.ts'

describe('a command', () => {
  it('names an element by its number or a point by x and y', () => {
    expect(parseCommand('click 7')).toEqual({ kind: 'click', at: { mark: 7 } })
    expect(parseCommand('Click 80 120')).toEqual({ kind: 'click', at: { x: 80, y: 120 } })
    expect(parseCommand('hover 80, 120')).toEqual({ kind: 'hover', at: { x: 80, y: 120 } })
    expect(parseCommand('select 3')).toEqual({ kind: 'select', at: { mark: 3 } })
    expect(parseCommand('drag 3 to 40 60')).toEqual({ kind: 'drag', at: { mark: 3 }, to: { x: 40, y: 60 } })
    expect(parseCommand('scroll 2 down')).toEqual({ kind: 'scroll', at: { mark: 2 }, isDown: true })
    expect(parseCommand('scroll 2 up')).toEqual({ kind: 'scroll', at: { mark: 2 }, isDown: false })
    expect(parseCommand('wait')).toEqual({ kind: 'wait' })
  })

  it('keeps words as they are and knows keys in any spelling of case', () => {
    expect(parseCommand('type Ann  and Bob')).toEqual({ kind: 'type', words: 'Ann  and Bob' })
    expect(parseCommand('key enter')).toEqual({ kind: 'key', key: 'Enter', isControl: false })
    expect(parseCommand('key Space')).toEqual({ kind: 'key', key: ' ', isControl: false })
    expect(parseCommand('key ctrl+a')).toEqual({ kind: 'key', key: 'a', isControl: true })
    expect(parseCommand('key ctrl a')).toEqual({ kind: 'key', key: 'a', isControl: true })
  })

  it.each([
    '',
    'click',
    'click Submit',
    'click 1 2 3',
    'click -1',
    'drag 3',
    'drag 3 4',
    'scroll 3',
    'type',
    'key Hyper',
    'fly 3',
  ])(
    // prettier-ignore
    'is none: %j',
    (text) => expect(parseCommand(text)).toBeNull(),
  )
})

const element = (fields: Partial<PageElement>): PageElement => ({
  ...{ mark: 1, tag: 'div', text: '', value: '', name: '', colour: '', box: [1, 2, 3, 4], isFocused: false },
  ...fields,
})
const view = (fields: Partial<PageView>): PageView => ({
  ...{ utterance: 'Do it.', elements: [], isDone: false, rawReward: 0, isAccepted: true, error: null },
  ...fields,
})

describe('the text of a page', () => {
  it('has the task, and a line for each element', () => {
    const elements = [
      element({ mark: 1, tag: 'button', text: 'Say "hi"' }),
      element({ mark: 2, tag: 'input text', name: '#tt', value: 'Ann', isFocused: true }),
      element({ mark: 3, tag: 'circle', colour: 'rgb(255, 0, 0)' }),
      element({ mark: 4, tag: 'option', text: 'Bob', value: 'selected', box: [0, 0, 0, 0] }),
    ]
    expect(openingText(view({ elements }))).toBe(
      [
        'Task: Do it.',
        '1 button "Say \\"hi\\"" at 1 2, 3 × 4',
        '2 input text #tt = "Ann" at 1 2, 3 × 4 (focus)',
        '3 circle rgb(255, 0, 0) at 1 2, 3 × 4',
        '4 option "Bob" = "selected"',
      ].join('\n'),
    )
  })

  it('says what was refused, a task that changed, an empty page and the end', () => {
    expect(viewText(view({ isAccepted: false }), 'Do it.')).toBe('Nothing happens.\nThe page is empty.')
    expect(viewText(view({ utterance: 'Now this.' }), 'Do it.')).toBe('Task: Now this.\nThe page is empty.')
    expect(viewText(view({ isDone: true }), 'Do it.')).toBe('The task is over.')
  })
})

describe('the prompt', () => {
  it('finds the command in the last line, and its examples are commands', () => {
    const policy = miniwobPolicy(MARKED_PIECES)
    expect(policy.parse('The button is 4.\nAction: click 4')).toEqual({
      thought: 'The button is 4.',
      command: 'click 4',
    })
    expect(parseCommand(/\nAction: ([\w ]+)/.exec(policy.opening('Task: Do it.'))![1]!)).not.toBeNull()
  })

  it('keeps every character that a command types', () => {
    const { parse } = miniwobPolicy(MARKED_PIECES)
    for (const command of ['type Maecenas eu massa.', 'type Hi!', 'key .', 'key *']) {
      expect(parse(`Action: ${command}`).command).toBe(command)
      expect(parse(`**Action:** \`${command}\``).command).toBe(command)
    }
  })

  it('keeps words of a page that spell a mark of the conversation from ending a message', () => {
    const opening = miniwobPolicy(MARKED_PIECES).opening(`Task: ${MARKED_PIECES.responseCue}`)
    expect(opening.split(MARKED_PIECES.responseCue).length).toBe(2)
  })
})
