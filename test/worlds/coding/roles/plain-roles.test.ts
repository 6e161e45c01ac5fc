import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codingFormats, importedCodingFormats } from '../../../../src/worlds/coding/roles/plain-roles.ts'
import { testResponse } from '../test-response.ts'

const { policy, reward, author } = codingFormats

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('```', '```js\n', '\n', 'Input:', '\nOutput:', '**Test Input:**', 'Explanation: ', ' 3', 'x', '`'))
    .map((parts) => parts.join('')), // prettier-ignore
)
/** Valid values: without fences or lines that begin like a marker. */
const plainValue = fc
  .string({ unit: 'binary' })
  .map((text) => text.trim())
  .filter((text) => !/```|^[ \t>#*-]*(test[ \t]+)?(input|output|explanation)/im.test(text))

describe('prompts of the coding roles', () => {
  it('end in a cue for the program, the test and the rewrite', () => {
    expect(policy.opening('Write f(x).')).toBe('Write f(x).\nProgram:\n')
    expect(policy.afterResponse('5 of 8 tests passed')).toBe('\n5 of 8 tests passed\nProgram:\n')
    expect(reward.prompt('Write f(x).')).toBe('Write f(x).\nTest:\n')
    expect(
      author.prompt({ description: 'A chain.', direction: 'harder', accuracy: 0.875, criticSummary: 'None failed.' }),
    ).toBe('harder 88\nA chain.\nCritic: None failed.\nRewrite:')
    expect(author.parse(' add step negate it\n')).toBe('add step negate it')
  })
})

describe('formats for imported problems', () => {
  it('differ only in the token limits', () => {
    const { policy: program, reward: test, author: rewrite } = importedCodingFormats
    expect([program.maxTokens, test.maxTokens, rewrite.maxTokens]).toEqual([2048, 2048, 8096])
    expect({ ...program, maxTokens: policy.maxTokens }).toEqual(policy)
    expect({ ...test, maxTokens: reward.maxTokens }).toEqual(reward)
    expect({ ...rewrite, maxTokens: author.maxTokens }).toEqual(author)
  })
})

describe('a program in a response', () => {
  it('is the whole response without a fence', () => {
    expect(policy.parse('const f = (x) => x')).toEqual({ thought: '', command: 'const f = (x) => x' })
    expect(policy.parse(' \n')).toEqual({ thought: '', command: '' })
    expect(policy.parse('const s = `a`').command).toBe('const s = `a`')
  })

  it('is the last fenced block, after the thought', () => {
    expect(
      policy.parse('First:\n```\nwrong\n```\nNo:\n```javascript\nfunction f() {\n  return 1\n}\n```\nDone.'),
    ).toEqual({
      thought: 'First:\n```\nwrong\n```\nNo:',
      command: 'function f() {\n  return 1\n}',
    })
    expect(policy.parse('```js\r\nf = 1\r\n```').command).toBe('f = 1')
    expect(policy.parse('I cannot:\n```js\n```').command).toBe('')
  })

  it('is the text after an unclosed fence', () => {
    expect(policy.parse('So:\n```js\nconst f = (x) =>')).toEqual({ thought: 'So:', command: 'const f = (x) =>' })
  })
})

describe('a test in a response', () => {
  it('is read as written', () => {
    fc.assert(
      fc.property(plainValue, plainValue, plainValue, (input, output, reasoning) => {
        expect(reward.parse(testResponse({ input, output }, reasoning))).toEqual({ reasoning, test: { input, output } })
      }),
    )
  })

  it.each([
    ['one line each', 'Input: [[1, 2]]\nOutput: 3', '', '[[1, 2]]', '3'],
    ['after reasoning', 'x = 2, doubled 4\nInput: [2]\nOutput: 4', 'x = 2, doubled 4', '[2]', '4'],
    ['several lines each', 'Input:\n3\n1 2 3\n\nOutput:\n6\n7', '', '3\n1 2 3', '6\n7'],
    ['the last pair', 'Input: 1\nOutput: 1\nBetter:\nInput: 2\nOutput: 4', 'Input: 1\nOutput: 1\nBetter:', '2', '4'],
    ['the last whole pair', 'Input: 1\nOutput: 2\nInput: 3', 'Input: 3', '1', '2'],
    ['the input next to the output', 'Input: 1\nInput: 2\nOutput: 3', 'Input: 1', '2', '3'],
    ['an explanation behind it', 'Input: 1\nOutput: 2\nExplanation: twice', 'Explanation: twice', '1', '2'],
    ['fenced values', 'So\nInput:\n```\n 1 2\n```\nand\nOutput:\n```text\n3\n```\nbye', 'So\nand\nbye', ' 1 2', '3'],
    [
      'the form of the released prompt',
      'Think.\n**Test Input:**\n```\n4\n```\n\n**Test Output:**\n```\n16\n```\n\n**Explanation:**\nSquared.',
      'Think.\n**Explanation:**\nSquared.',
      '4',
      '16',
    ],
    ['in Markdown', '- **Input**: 4\n- **Output**: 16', '', '4', '16'],
    ['empty values, which nothing can be run on', 'Input:\nOutput:', '', '', ''],
  ])('may have %s', (_, text, reasoning, input, output) => {
    expect(reward.parse(text)).toEqual({ reasoning, test: { input, output } })
  })

  it.each([
    ['nothing', ''],
    ['an input alone', 'Input: [1]'],
    ['an output alone', 'Output: 1'],
    ['a pair the wrong way round', 'Output: 1\nInput: 1'],
    ['markers within a line', 'The Input: is 1 and the Output: is 2'],
  ])('is missing if there is %s', (_, text) => {
    expect(reward.parse(text)).toEqual({ reasoning: text, test: null })
  })
})

describe('any text', () => {
  it('is read without an error, and nothing is invented', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { thought, command } = policy.parse(text)
        expect(text).toContain(command)
        expect(text).toContain(thought)
        const { test } = reward.parse(text)
        if (test) for (const value of [test.input, test.output]) expect(text).toContain(value)
        expect(text).toContain(author.parse(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('is read in linear time', () => {
    for (const part of [
      '```',
      '```\n',
      '`',
      'Input:',
      'Input:\n',
      '\n',
      ' ',
      '*',
      '- ',
      'test ',
      'Input:\nOutput:\n```\n',
    ]) {
      const text = part.repeat(200_000 / part.length)
      const startedAt = performance.now()
      policy.parse(text)
      reward.parse(text)
      // Quadratic time would take minutes.
      expect(performance.now() - startedAt, JSON.stringify(part)).toBeLessThan(5000)
    }
  })
})
