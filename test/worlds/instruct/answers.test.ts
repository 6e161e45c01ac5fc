import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bare, lastAnswer, lastLine, lastScore } from '../../../src/worlds/instruct/answers.ts'
import { hostileText } from './chat-models.ts'

describe('the answer line', () => {
  it.each([
    ['alone', 'Action: go to shelf 1', '', 'go to shelf 1'],
    ['after reasoning', 'The mug is missing.\n\nAction: go to shelf 1', 'The mug is missing.', 'go to shelf 1'],
    ['in Markdown', 'So\n**Action:** `go to shelf 1`', 'So', 'go to shelf 1'],
    ['in other Markdown', 'So\n- **Action**: go to shelf 1', 'So', 'go to shelf 1'],
    ['as a heading', 'So\n## Action:\n\ngo to shelf 1\n', 'So', 'go to shelf 1'],
    ['fenced', 'Action:\n```text\ngo to shelf 1\n```', '', 'go to shelf 1'],
    ['in quotes, with a full stop', 'ACTION: "go to shelf 1".', '', 'go to shelf 1'],
    ['in brackets', 'Action: [go to shelf 1]', '', 'go to shelf 1'],
    ['last', 'Action: look\nNo.\nAction: inventory\nI wait.', 'Action: look\nNo.', 'inventory'],
    ['in Markdown that begins before it', 'So\n**Action: `go to shelf 1`**', 'So', 'go to shelf 1'],
    ['in several layers', 'Action: **"(go to shelf 1)".**', '', 'go to shelf 1'],
    ['with its own end', 'Action: type Maecenas eu massa.', '', 'type Maecenas eu massa.'],
    ['with a sign at its end', 'Action: type rm *', '', 'type rm *'],
    ['as a sign', 'Action: *', '', '*'],
    ['with brackets at both ends', 'Action: (1 + 2) * (3 + 4)', '', '(1 + 2) * (3 + 4)'],
    ['with quotes at both ends', 'Action: "a" + "b"', '', '"a" + "b"'],
    ['with Markdown at both ends', 'Action: *a* or *b*', '', '*a* or *b*'],
    ['in JSON', 'Action: `{"move": "e2"}`', '', '{"move": "e2"}'],
    ['as a list', 'Action: [1, 2]', '', '[1, 2]'],
    ['empty', 'Action:\n', '', ''],
  ])('is found %s', (_, text, reasoning, value) => {
    expect(lastAnswer(text, 'action')).toEqual({ reasoning, value })
  })

  it.each(['', 'go to shelf 1', 'My Action: go', 'Actions: go', 'Action go', 'Reaction: go'])(
    'is not in %j',
    (text) => {
      expect(lastAnswer(text, 'action')).toBeNull()
    },
  )

  it('is the last non-empty line if none is marked', () => {
    expect(lastLine('So:\n\n**no hints**\n```\n')).toBe('no hints')
    expect(lastLine('\n\n')).toBe('')
    expect(bare(' ("x") ')).toBe('x')
    expect(bare('append "a".')).toBe('append "a"')
  })
})

describe('the score', () => {
  it.each([
    ['It helped.\nScore: 1', 'It helped.', 1],
    ['It did not.\nScore: -1', 'It did not.', -1],
    ['found the mug; score 1', 'found the mug', 1],
    ['nothing happened; score -1', 'nothing happened', -1],
    ['So\n**Score:** +1.', 'So', 1],
    ['So\n**Score: −1**', 'So', -1],
    ['So\n- Score: –1\n\n', 'So', -1],
    ['So the score is \\boxed{-1}.', 'So the', -1],
    ['Score: 1\nWait.\nScore: -1', 'Score: 1\nWait.', -1],
    ['Score: -1\nThis score is for its reasoning.', '', -1],
    ['SCORE = 1', '', 1],
    ['İİİ it helped, score 1', 'İİİ it helped', 1],
  ])('of %j is read', (text, reasoning, score) => {
    expect(lastScore(text)).toEqual({ reasoning, score })
  })

  it.each([
    '',
    'It helped.',
    'The score is high.',
    'Score: 0',
    'Score: 2',
    'Score: 11',
    'Score: 0.5',
    'Score: 1.5',
    'Score: 1/2',
    'Score: 1 or -1',
    'Score: 1 out of 5',
    'Score - 1',
    'Score: 1\nScore: 0',
    '1',
    'underscores',
  ])('of %j is none', (text) => {
    expect(lastScore(text)).toEqual({
      reasoning:
        text.split(/\n?Score/).length > 1 && /\d/.test(text) ? text.slice(0, text.lastIndexOf('Score')).trim() : text,
      score: 0,
    })
  })
})

describe('any text', () => {
  it('is read without an error, and nothing is invented', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const answer = lastAnswer(text, 'action')
        for (const part of [answer?.reasoning, answer?.value, lastLine(text), bare(text)])
          expect(text).toContain(part ?? '')
        const { reasoning, score } = lastScore(text)
        expect(text).toContain(reasoning)
        expect([-1, 0, 1]).toContain(score)
        if (score !== 0) expect(text.toLowerCase()).toContain('score')
      }),
      { numRuns: 1000 },
    )
  })

  it('is read in linear time', () => {
    const nested = `Action: ${'('.repeat(100_000)}${')'.repeat(100_000)}`
    const since = performance.now()
    expect(lastAnswer(nested, 'action')!.value).toContain('()')
    expect(performance.now() - since).toBeLessThan(1000)
    for (const part of [
      '\n',
      ' ',
      '*',
      '"',
      '[',
      '.',
      'action',
      'Action:',
      'Action:\n',
      'Action: ((',
      '*Action:*',
      'score',
      'score 1',
      'score\n',
      '1 ',
      '- ',
      '`',
    ]) {
      const text = `score 1${part.repeat(200_000 / part.length)}`
      const startedAt = performance.now()
      lastAnswer(text, 'action')
      lastLine(text)
      lastScore(text)
      // Quadratic time would take minutes.
      expect(performance.now() - startedAt, JSON.stringify(part)).toBeLessThan(5000)
    }
  })
})
