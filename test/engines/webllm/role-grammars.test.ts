import { describe, expect, it } from 'vitest'
import { formatRewrite, parseRewrite } from '../../../src/environments/household/rewrite-language.ts'
import { householdFormats, judgement } from '../../../src/environments/household/roles.ts'
import { AUTHOR_GRAMMAR, JUDGE_GRAMMAR } from '../../../src/engines/webllm/role-grammars.ts'
import type { TaskRewrite } from '../../../src/environments/household/task.ts'

/** A grammar without recursion as a regular expression: rules replaced by their bodies, from the root on. */
function asExpression(grammar: string): RegExp {
  const rules = new Map(
    grammar.split('\n').map((line) => {
      const [name, body] = line.split(' ::= ')
      return [name!, body!] as const
    }),
  )
  const expand = (body: string): string =>
    body.replace(/"([^"]*)"|\[(?:\\.|[^\]])*\]|[a-z]+|\s+/g, (part, literal: string | undefined) => {
      if (literal !== undefined) return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      if (part.startsWith('[')) return part
      return /^\s/.test(part) ? '' : `(?:${expand(rules.get(part)!)})`
    })
  return new RegExp(`^${expand(rules.get('root')!)}$`)
}

describe('the author’s grammar', () => {
  const expression = asExpression(AUTHOR_GRAMMAR)
  const rewrites: TaskRewrite[] = [
    { kind: 'change-goal', object: 'mug', target: 'cabinet' },
    { kind: 'add-hint', object: 'mug 1' },
    { kind: 'remove-hints' },
    { kind: 'add-distractors', count: 3 },
    { kind: 'add-distractors', count: 120 },
    { kind: 'remove-object', object: 'plate 2' },
    { kind: 'open', receptacle: 'drawer 12' },
    { kind: 'close', receptacle: 'drawer 2' },
    { kind: 'move', object: 'mug 1', receptacle: 'drawer 2' },
  ]

  it('says every rewrite that there is', () => {
    for (const rewrite of rewrites) expect(` ${formatRewrite(rewrite)}`).toMatch(expression)
  })

  it('says nothing that is not a rewrite', () => {
    for (const text of [' add', ' add 1234', ' goal mug', ' hint mug', 'open drawer 2', ' Sure! open drawer 2', '']) {
      expect(text).not.toMatch(expression)
    }
    for (const rewrite of rewrites) {
      const cut = ` ${formatRewrite(rewrite)}`.slice(0, -2)
      if (expression.test(cut)) expect(parseRewrite(householdFormats.author.parse(cut)), cut).not.toBeNull()
    }
  })
})

describe('the judge’s grammar', () => {
  const expression = asExpression(JUDGE_GRAMMAR)

  it('says every judgement, and what it says has a score', () => {
    for (const score of [1, -1] as const) {
      const text = judgement('the drawer is open now', score)
      expect(text).toMatch(expression)
      expect(householdFormats.reward.parse(text)).toEqual({ reasoning: 'the drawer is open now', score })
    }
    for (const text of [' good', ' good; score', ' good; score 2', ' ; score 1', ' a\nb; score 1'])
      expect(text).not.toMatch(expression)
  })
})
