import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as codingRoles from '../../src/worlds/coding/roles/instruct-roles.ts'
import * as problemRewrites from '../../src/worlds/coding/problems/rewrite-language.ts'
import { ARM_OPS, isCondition, OPERATIONS, OPS, type Constant, type Op } from '../../src/worlds/coding/problems/spec.ts'
import * as householdRoles from '../../src/worlds/household/roles/instruct-roles.ts'
import type { ChatPieces } from '../../src/method/chat-pieces.ts'
import { formatRewrite, parseRewrite, type TaskRewrite } from '../../src/worlds/household/rewrites/language.ts'
import { judgement } from '../../src/worlds/plain/roles.ts'
import { householdFormats } from '../../src/worlds/household/roles/plain-roles.ts'
import { HOUSEHOLD_GRAMMARS } from '../../src/worlds/household/roles/grammars.ts'
import { codingGrammars } from '../../src/worlds/coding/roles/grammars.ts'

const AUTHOR_GRAMMAR = HOUSEHOLD_GRAMMARS.author.plain!
const INSTRUCT_AUTHOR_GRAMMAR = HOUSEHOLD_GRAMMARS.author.instruct!
const JUDGE_GRAMMAR = HOUSEHOLD_GRAMMARS.reward.plain!
const INSTRUCT_JUDGE_GRAMMAR = HOUSEHOLD_GRAMMARS.reward.instruct!
const GENERATED = codingGrammars({ problems: 'generated' })
const INSTRUCT_TEST_GRAMMAR = GENERATED.reward.instruct!
const INSTRUCT_STEPS_GRAMMAR = GENERATED.author.instruct!

/** Converts a grammar without recursion to a regular expression by inlining its rules from the root. */
function asExpression(grammar: string): RegExp {
  const rules = new Map(
    grammar.split('\n').map((line) => {
      const [name, body] = line.split(' ::= ')
      return [name!, body!] as const
    }),
  )
  const expand = (body: string): string =>
    body.replace(/("(?:\\.|[^"\\])*")|\[(?:\\.|[^\]])*\]|[a-z]+|\s+/g, (part, literal: string | undefined) => {
      if (literal !== undefined) return `(?:${(JSON.parse(literal) as string).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`
      if (part.startsWith('[')) return part
      return /^\s/.test(part) ? '' : `(?:${expand(rules.get(part)!)})`
    })
  return new RegExp(`^${expand(rules.get('root')!)}$`)
}

const REWRITES: TaskRewrite[] = [
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

describe('the author’s grammar', () => {
  const expression = asExpression(AUTHOR_GRAMMAR)

  it('allows every possible rewrite', () => {
    for (const rewrite of REWRITES) expect(` ${formatRewrite(rewrite)}`).toMatch(expression)
  })

  it('allows only rewrites', () => {
    for (const text of [' add', ' add 1234', ' goal mug', ' hint mug', 'open drawer 2', ' Sure! open drawer 2', '']) {
      expect(text).not.toMatch(expression)
    }
    for (const rewrite of REWRITES) {
      const cut = ` ${formatRewrite(rewrite)}`.slice(0, -2)
      if (expression.test(cut)) expect(parseRewrite(householdFormats.author.parse(cut)), cut).not.toBeNull()
    }
  })
})

describe('the judge’s grammar', () => {
  const expression = asExpression(JUDGE_GRAMMAR)

  it('allows every judgement, and only text with a score', () => {
    for (const score of [1, -1] as const) {
      const text = judgement('the drawer is open now', score)
      expect(text).toMatch(expression)
      expect(householdFormats.reward.parse(text)).toEqual({ reasoning: 'the drawer is open now', score })
    }
    for (const text of [' good', ' good; score', ' good; score 2', ' ; score 1', ' a\nb; score 1'])
      expect(text).not.toMatch(expression)
  })
})

const PIECES: ChatPieces = {
  start: '<system>',
  systemEnd: '<user>',
  responseCue: '<assistant>',
  responseEnd: '<end>',
  nextUser: '<user>',
  reserved: [],
}

/** Any text that a grammar allows. */
const said = (grammar: string) => fc.stringMatching(asExpression(grammar))
const THOUGHT = 'The agent is at the desk.\nIt holds a mug; that is "right".\n\n'

describe('grammars of chat models', () => {
  it('let a judge think, then write only a score', () => {
    const { parse } = householdRoles.instructReward(PIECES)
    const expression = asExpression(INSTRUCT_JUDGE_GRAMMAR)
    expect(parse(`${THOUGHT}Score: -1`)).toEqual({ reasoning: THOUGHT.trim(), score: -1 })
    expect(`${THOUGHT}Score: -1`).toMatch(expression)
    for (const text of [
      'Score: 1',
      `${THOUGHT}Score: 2`,
      `${THOUGHT}Score: 1.`,
      'Good. Score: 1',
      `${'So.\n'.repeat(5)}Score: 1`,
    ])
      expect(text).not.toMatch(expression)
    fc.assert(
      fc.property(said(INSTRUCT_JUDGE_GRAMMAR), (text) => {
        expect(parse(text).score).toBe(text.endsWith('-1') ? -1 : 1)
      }),
    )
  })

  it('let a household author think, then write a rewrite', () => {
    const { parse } = householdRoles.instructAuthor(PIECES)
    const expression = asExpression(INSTRUCT_AUTHOR_GRAMMAR)
    for (const rewrite of REWRITES) {
      const text = `${THOUGHT}Rewrite: ${formatRewrite(rewrite)}`
      expect(text).toMatch(expression)
      expect(parseRewrite(parse(text))).toEqual(rewrite)
    }
    for (const text of ['Rewrite: no hints', `${THOUGHT}Rewrite: look`, `${THOUGHT}no hints`])
      expect(text).not.toMatch(expression)
    fc.assert(
      fc.property(said(INSTRUCT_AUTHOR_GRAMMAR), (text) => {
        expect(text.endsWith(parse(text))).toBe(true)
      }),
    )
  })

  it('let a test writer think, then write one test', () => {
    const { parse } = codingRoles.instructReward(PIECES)
    const expression = asExpression(INSTRUCT_TEST_GRAMMAR)
    const written = (input: string, output: string) =>
      `${THOUGHT}Input:\n\`\`\`\n${input}\n\`\`\`\nOutput:\n\`\`\`\n${output}\n\`\`\``
    for (const test of [
      { input: '[[3, 4]]', output: '7' },
      { input: '2\n\n 1 2', output: 'a\nb' },
    ]) {
      const text = written(test.input, test.output)
      expect(text).toMatch(expression)
      expect(parse(text)).toEqual({ reasoning: THOUGHT.trim(), test })
    }
    for (const text of [written('1', '2') + '\nDone.', written('```', '2'), `${THOUGHT}Input: 1\nOutput: 2`])
      expect(text).not.toMatch(expression)
    fc.assert(
      fc.property(said(INSTRUCT_TEST_GRAMMAR), (text) => {
        expect(parse(text).test).not.toBeNull()
      }),
    )
  })

  it('let a problem author think, then write any possible rewrite of steps', () => {
    const { parse } = codingRoles.instructAuthor(PIECES)
    const expression = asExpression(INSTRUCT_STEPS_GRAMMAR)
    const stepOf = (op: Op, last: boolean) => {
      const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
      const constants = slots.map((slot, i) => (last ? slot.at(-1)! : slot[i]!))
      return { op, constants: op === 'replace' ? slots.map((slot, i) => slot[i]!) : constants }
    }
    const steps = OPS.flatMap((op) =>
      [false, true].map((last) =>
        isCondition(op)
          ? { ...stepOf(op, last), arms: [stepOf(ARM_OPS[0]!, last), stepOf(ARM_OPS.at(-1)!, last)] as const }
          : stepOf(op, last),
      ),
    )
    const rewrites: problemRewrites.SpecRewrite[] = [
      ...steps.flatMap((step) => [{ kind: 'insert', at: 2, step } as const, { kind: 'replace', at: 1, step } as const]),
      { kind: 'remove', at: 3 },
      { kind: 'set', at: 2, constant: -12 },
      { kind: 'set', at: 1, constant: 'e' },
      { kind: 'swap', at: 3 },
    ]
    for (const rewrite of rewrites) {
      const text = `${THOUGHT}Rewrite: ${problemRewrites.formatRewrite(rewrite)}`
      expect(text).toMatch(expression)
      expect(problemRewrites.parseRewrite(parse(text))).toEqual(rewrite)
    }
    for (const text of ['swap 1 and 3', 'insert 2 keep the odd letters', 'remove 0'])
      expect(`${THOUGHT}Rewrite: ${text}`).not.toMatch(expression)
  })

  it('do not constrain the policy, our own coding formats or an author of whole problems', () => {
    const free = { plain: null, instruct: null }
    expect(HOUSEHOLD_GRAMMARS.policy).toEqual(free)
    expect(GENERATED.policy).toEqual(free)
    expect([GENERATED.reward.plain, GENERATED.author.plain]).toEqual([null, null])
    expect(codingGrammars({ problems: 'imported' })).toEqual({ ...GENERATED, author: free })
  })
})
