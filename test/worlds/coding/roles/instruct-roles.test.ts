import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeImported, rewriteImported } from '../../../../src/worlds/coding/released/rewrites.ts'
import { instructAuthor, instructPolicy, instructReward } from '../../../../src/worlds/coding/roles/instruct-roles.ts'
import { describeSpec } from '../../../../src/worlds/coding/problems/statement.ts'
import { generateTask } from '../../../../src/worlds/coding/problems/generator.ts'
import { applyRewrite, candidateRewrites } from '../../../../src/worlds/coding/problems/rewrites.ts'
import { formatRewrite, parseRewrite } from '../../../../src/worlds/coding/problems/rewrite-language.ts'
import { ARM_OPS, isCondition, OPERATIONS, OPS, type Constant } from '../../../../src/worlds/coding/problems/spec.ts'
import { parseStep } from '../../../../src/worlds/coding/problems/statement.ts'
import { importedTask } from '../../../../src/worlds/coding/released/file.ts'
import { readItem } from '../../../../src/worlds/coding/released/item.ts'
import { CodingEnvironment } from '../../../../src/worlds/coding/environment.ts'
import { chatModels, expectRendered, hostileText } from '../../instruct/chat-models.ts'
import { InThreadJudge } from '../in-thread-judge.ts'

const author = { direction: 'harder', accuracy: 0.9, criticSummary: 'passed x7' } as const
const generated = generateTask({ seed: 3, split: 'train' })

const item = (change: object = {}) => ({
  question: 'Print the sum of the numbers of a line.',
  test_method: 'stdio',
  test_time_limit: 2,
  test_input: ['1 2\n', '3\n', '-1 1\n', '5 5 5\n'],
  test_output: ['3', '3', '0', '15'],
  ...change,
})

function problemOf(json: object) {
  const read = readItem(json, { isStrict: true, leastTests: 4 })
  if ('fault' in read) throw new Error(read.fault)
  return read.problem
}
const imported = importedTask('imported', problemOf(item()))

describe.each(chatModels)('the coding prompts for a model like $name', (model) => {
  const { pieces, controlTokens } = model
  const policy = instructPolicy(pieces)
  const reward = instructReward(pieces)
  const rewriter = instructAuthor(pieces)

  it('equal the conversation that its chat template renders', () => {
    expectRendered(model, {
      opening: policy.opening('Write f(x).'),
      user: 'Problem:\nWrite f(x).',
      response: 'f',
      later: policy.afterResponse('5 of 8 tests passed'),
    })
  })

  it('have the same special tokens, whatever untrusted text contains', () => {
    const ofOpening = controlTokens(policy.opening(''))
    const ofTurn = controlTokens(policy.afterResponse(''))
    const ofTest = controlTokens(reward.prompt(''))
    const ofRewriting = ['', '{'].map((description) => controlTokens(rewriter.prompt({ ...author, description })))
    fc.assert(
      fc.property(hostileText, hostileText, (text, criticSummary) => {
        expect(controlTokens(policy.opening(text))).toEqual(ofOpening)
        expect(controlTokens(policy.afterResponse(text))).toEqual(ofTurn)
        expect(controlTokens(reward.prompt(text))).toEqual(ofTest)
        for (const [form, description] of [`.${text}`, `{${text}`].entries())
          expect(controlTokens(rewriter.prompt({ ...author, description, criticSummary }))).toEqual(ofRewriting[form])
      }),
      { numRuns: 100 },
    )
  })
})

const { pieces } = chatModels[0]!
const policy = instructPolicy(pieces)
const reward = instructReward(pieces)
const rewriter = instructAuthor(pieces)

describe('the policy', () => {
  it('solves problems of either form with programs in the requested block', async () => {
    const tasks = [generated, imported]
    const programs = [generated.body.reference!, 'let sum = 0\nfor (const x of readline().split(" ")) sum += Number(x)\nconsole.log(sum)'] // prettier-ignore
    const environment = new CodingEnvironment({ judge: new InThreadJudge(), problems: { draw: async () => tasks } })
    await environment.reset(tasks.map((task, i) => ({ episodeId: `${i}`, task, maxSteps: 1 })))
    const actions = programs.map((program, i) => {
      const parsed = policy.parse(`One step after the other.\n\`\`\`js\n${program}\n\`\`\``)
      expect(parsed).toEqual({ thought: 'One step after the other.', command: program })
      return { episodeId: `${i}`, command: parsed.command }
    })
    expect((await environment.step(actions)).map(({ won }) => won)).toEqual([true, true])
  })

  it('sees an example program that its parser reads', () => {
    const opening = policy.opening('')
    expect(policy.parse(opening.slice(0, opening.indexOf('Problem:'))).command).toBe(
      'function double(x) {\n  return 2 * x\n}',
    )
  })
})

describe('the reward model', () => {
  it.each([
    ['f([3, 4])', generated, '[[3, 4]]', '7'],
    ['standard input', imported, '3 4', '7'],
  ])('writes a test of %s in the requested form', (_, task, input, output) => {
    const written = `Sums may be large.\nInput:\n\`\`\`\n${input}\n\`\`\`\nOutput:\n\`\`\`\n${output}\n\`\`\``
    expect(reward.prompt(task.body.statement)).toContain(`Problem:\n${task.body.statement}`)
    expect(reward.parse(written)).toEqual({ reasoning: 'Sums may be large.', test: { input, output } })
  })

  it('sees a form that its parser reads', () => {
    expect(reward.parse(reward.prompt('')).test).toEqual({ input: 'the input', output: 'the output' })
  })
})

describe('the author of a generated problem', () => {
  const prompt = rewriter.prompt({ ...author, description: describeSpec(generated) })

  it('sees a readable example of every form of rewrite', () => {
    const examples = [...prompt.matchAll(/^- ([^:\n]+): /gm)].map(([, example]) => example!)
    const kinds = examples.map((example) => parseRewrite(example)?.kind).filter(Boolean)
    expect(kinds).toEqual(['insert', 'remove', 'replace', 'set', 'swap'])
  })

  it('sees the spelling of every step, with the range of its constants', () => {
    const lines = [...prompt.matchAll(/^- of [^:\n]+: (.+)$/gm)].flatMap(([, line]) => line!.split('; '))
    const arms = /steps of a condition are of these: (.+)\.$/m.exec(prompt)![1]!.split('; ')
    const range = (part: string): Constant[] => {
      const [from, to] = part.slice(1, -1).split(' to ').map((end) => JSON.parse(end) as Constant) // prettier-ignore
      if (typeof from === 'number') return Array.from({ length: Number(to) - from + 1 }, (_, i) => from + i)
      return Array.from({ length: String(to).charCodeAt(0) - from!.charCodeAt(0) + 1 }, (_, i) => String.fromCharCode(from!.charCodeAt(0) + i)) // prettier-ignore
    }
    const read = lines.map((pattern) => {
      const slots = pattern.match(/\([^()]+ to [^()]+\)/g) ?? []
      const filled = slots.reduce((text, slot) => text.replace(slot, JSON.stringify(range(slot).at(-1))), pattern)
      const step = parseStep(filled.replace('(step)', 'add 1').replace('(step)', 'negate it'))
      expect(step, filled).not.toBeNull()
      expect(slots.map(range)).toEqual(OPERATIONS[step!.op].slots)
      return step!.op
    })
    expect(new Set(read)).toEqual(new Set(OPS))
    expect(read.filter(isCondition)).toHaveLength(4)
    expect(arms).toHaveLength(ARM_OPS.length)
  })

  it('writes rewrites that apply to the problem', () => {
    const rewrites = candidateRewrites(generated, 'harder').filter((each) => applyRewrite(generated, each, 'new').ok)
    expect(rewrites.length).toBeGreaterThan(5)
    for (const rewrite of rewrites.slice(0, 20)) {
      const text = rewriter.parse(`It is too easy.\n\nRewrite: ${formatRewrite(rewrite)}`)
      expect(text).toBe(formatRewrite(rewrite))
      expect(applyRewrite(generated, text, 'new').ok).toBe(true)
    }
    expect(rewriter.parse('**Rewrite:** `insert 1 append "a"`.')).toBe('insert 1 append "a"')
    expect(rewriter.parse('remove 1')).toBe('remove 1')
  })
})

describe('the author of an imported problem', () => {
  const judge = () => Promise.reject(new Error('There is no checker to be tried.'))
  const prompt = rewriter.prompt({ ...author, description: describeImported(imported) })

  it('reads the whole problem, without steps', () => {
    expect(prompt).toContain('Print the sum of the numbers of a line.')
    expect(prompt).toContain('Make the task harder.')
    expect(prompt).not.toContain('keep the even numbers')
  })

  it('sees an example problem that can be imported', async () => {
    const instructions = prompt.slice(0, prompt.indexOf('Task:'))
    expect(await rewriteImported(imported, rewriter.parse(instructions), 'new', judge)).toMatchObject({ ok: true, task: { rootId: 'imported' } }) // prettier-ignore
  })

  it.each([
    ['in a block', (json: string) => `Now the product.\n\`\`\`json\n${json}\n\`\`\``],
    ['behind a mark', (json: string) => `Now the product.\nRewrite:\n${json}\n`],
    ['alone', (json: string) => json],
  ])('writes problems %s', async (_, around) => {
    const rewritten = item({ question: 'Print the product.', test_output: ['2', '3', '-1', '125'] })
    const text = rewriter.parse(around(JSON.stringify(rewritten, null, 2)))
    const result = await rewriteImported(imported, text, 'new', judge)
    expect(result.task?.body).toMatchObject({ statement: 'Print the product.', form: 'stdio' })
  })
})

it('reads any text, and invents nothing', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const { thought, command } = policy.parse(text)
      const { reasoning, test } = reward.parse(text)
      expect(typeof reasoning).toBe('string')
      for (const part of [thought, command, test?.input ?? '', test?.output ?? '', rewriter.parse(text)])
        expect(text).toContain(part)
    }),
    { numRuns: 500 },
  )
})
