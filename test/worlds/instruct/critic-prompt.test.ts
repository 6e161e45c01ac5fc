import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_REASONINGS } from '../../../src/method/step-judging/critic-reasonings.ts'
import { instructCritic, LONGEST_SUMMARY } from '../../../src/worlds/instruct/critic-prompt.ts'
import { chatModels, hostileText } from './chat-models.ts'

const reasoning = (text: string, at = 0) => ({ rollout: at, step: 4, agreeing: 2, votes: 3, text })
const question = { instruction: 'put a mug in the fridge', direction: 'easier' } as const

describe.each(chatModels)('the prompt of a critic like $name', ({ pieces, controlTokens }) => {
  const { prompt } = instructCritic(pieces)

  it('has the same special tokens, whatever the judge wrote', () => {
    const own = controlTokens(prompt({ ...question, reasonings: [] }))
    expect(own.length).toBeGreaterThan(3)
    fc.assert(
      fc.property(hostileText, fc.array(hostileText, { maxLength: 4 }), (instruction, texts) => {
        const asked = prompt({ ...question, instruction, reasonings: texts.map((text) => reasoning(text)) })
        expect(controlTokens(asked)).toEqual(own)
      }),
      { numRuns: 200 },
    )
  })
})

const { prompt, parse, maxTokens } = instructCritic(chatModels[0]!.pieces)

describe('the critic', () => {
  it('is asked about steps, each quoted on one line with how many votes agree', () => {
    const asked = prompt({
      ...question,
      reasonings: [reasoning('It looks\ninto  the drawer.'), reasoning('It waits.', 3)],
    })
    expect(asked).toContain('Task: put a mug in the fridge\n')
    expect(asked).toContain('\n> Attempt 1, step 5, 2 of 3 votes: It looks into the drawer.\n> Attempt 4, step 5,')
    expect(asked).toContain('Attempts that failed.')
    const harder = prompt({ ...question, direction: 'harder', reasonings: [reasoning('It knows.')] })
    expect(harder).toContain('Attempts that solved the task.')
  })

  it('gets a prompt that fits a small context, however long reasonings are', () => {
    const reasonings = Array.from({ length: MOST_REASONINGS }, (_, at) =>
      reasoning('The agent goes back. '.repeat(500), at),
    )
    const asked = prompt({ ...question, instruction: 'put a mug away '.repeat(500), reasonings })
    // Four characters a token, roughly; the answer has room beside them in 2,048 tokens.
    expect(asked.length / 4 + maxTokens).toBeLessThan(2048)
    expect(asked).toMatch(/3 votes: The agent goes back\. .*….* The agent goes back\.\n/)
  })

  it.each([
    ['Summary: It waits. It never opens the fridge.', 'It waits. It never opens the fridge.'],
    ['It seems so.\n\n**Summary:** "It waits."', 'It waits.'],
    ['Summary: no\nSummary:\nIt waits.\nIt looks again.', 'It waits. It looks again.'],
    ['summary : `It waits.`', 'It waits.'],
  ])('is read from %j', (text, summary) => {
    expect(parse(text)).toBe(summary)
  })

  it.each(['', 'It waits.', 'Summary:', 'Summary: ...', 'Summary:\n```\n```'])('is unreadable in %j', (text) => {
    expect(parse(text)).toBeNull()
  })

  it('is one line of limited length', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const summary = parse(`Summary: x ${text}`)
        if (summary === null) return
        expect(summary.length).toBeLessThanOrEqual(LONGEST_SUMMARY)
        expect(summary).not.toMatch(/[\n\r]/)
      }),
    )
    expect(parse(`Summary: ${'very '.repeat(500)}long`)).toHaveLength(LONGEST_SUMMARY)
  })
})
