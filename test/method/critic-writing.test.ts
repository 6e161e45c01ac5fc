import { describe, expect, it } from 'vitest'
import type { CriticFormat, RoleFormats, StepJudgeFormat } from '../../src/method/ports.ts'
import { stateEvent } from '../../src/runs/state-event.ts'
import { FakeModel, formats, logOf, ofType, request, smallSettings, world } from './corridor.ts'

const lengths = [5, 1, 6, 9]
const critic: CriticFormat = {
  prompt: ({ instruction, direction, reasonings }) =>
    `critic ${direction} ${instruction}: ${reasonings.map(({ text }) => text).join(' | ')}`,
  parse: (text) => (text.startsWith('Summary: ') ? text.slice('Summary: '.length) : null),
  maxTokens: 77,
}
const prose: RoleFormats = {
  ...formats,
  reward: { ...(formats.reward as StepJudgeFormat), reasoning: 'prose' },
  author: {
    ...formats.author,
    prompt: ({ description, direction, criticSummary, criticWriter = 'counts' }) =>
      `${direction} ${description}, ${criticWriter}: ${criticSummary}`,
    critic,
  },
}

/** A judge whose every reason differs, and an author that summarises with `answer`. */
function proseWorld(answer: (prompt: string, uniform: () => number) => string, roles = prose, onCritic?: () => void) {
  const ports = world({ lengths })
  const rewrite = (prompt: string) => {
    const length = Number(/of (\d+)/u.exec(prompt)![1])
    return String(prompt.startsWith('harder') ? length + 1 : Math.max(1, length - 1))
  }
  return {
    ...ports,
    formats: roles,
    reward: new FakeModel(0, (prompt, _, uniform) => {
      const said = `case ${Math.floor(uniform() * 1e6)}`
      return prompt.endsWith('moved|?') ? `+ it moved, ${said}` : `- it stood still, ${said}`
    }),
    author: new FakeModel(0, (prompt, _, uniform) => {
      if (!prompt.startsWith('critic')) return rewrite(prompt)
      onCritic?.()
      return answer(prompt, uniform)
    }),
  }
}

const summarised = (prompt: string, uniform: () => number) =>
  `Summary: ${prompt.startsWith('critic easier') ? 'It stands still.' : 'It walks.'} ${uniform()}`
const proposalsOf = async (ports: ReturnType<typeof proseWorld>, input = {}) =>
  ofType(await logOf(ports, request(smallSettings(input), { iterations: 4 })), 'rewrite-proposed')

describe('the critic of a judge that writes prose', () => {
  it('is written by the author with one completion for each task, and read by the author', async () => {
    const ports = proseWorld(summarised)
    const log = await logOf(ports, request(smallSettings(), { iterations: 4 }))
    const proposals = ofType(log, 'rewrite-proposed')
    expect(new Set(proposals.map(({ direction }) => direction))).toEqual(new Set(['easier', 'harder']))
    const asked = ports.author.prompts.filter((prompt) => prompt.startsWith('critic'))
    expect(asked).toHaveLength(proposals.length)
    for (const { criticSummary, critic: written, direction } of proposals) {
      expect(criticSummary).toMatch(direction === 'easier' ? /^It stands still\. / : /^It walks\. /)
      expect(written).toEqual({ writtenBy: 'author', answer: `Summary: ${criticSummary}` })
      expect(ports.author.prompts.some((prompt) => prompt.endsWith(`author: ${criticSummary}`))).toBe(true)
    }
    for (const prompt of asked)
      expect(prompt).toMatch(prompt.startsWith('critic easier') ? /: it stood still, case/ : /: it moved, case/)
    // Free of the grammar for rewrites, and bounded by the summary's own limit.
    const free = ports.author.samplings.filter(({ isFreeForm }) => isFreeForm)
    expect(free.length).toBeGreaterThan(0)
    for (const { maxTokens } of free) expect(maxTokens).toBe(77)
    for (const { maxTokens, isFreeForm } of ports.author.samplings) expect(isFreeForm ?? false).toBe(maxTokens === 77)

    for (const { iteration, metrics } of ofType(log, 'iteration-finished')) {
      const answers = proposals
        .filter((proposal) => proposal.iteration === iteration)
        .map((event) => event.critic!.answer!)
      const sampled = answers.reduce((total, answer) => total + answer.length, 0)
      expect(metrics['env/critic_tokens'] ?? 0).toBe(sampled)
    }
  })

  it('is the same for the same seed, and another for another', async () => {
    const said = async (seed: number) =>
      (await proposalsOf(proseWorld(summarised), { seed })).map((event) => event.criticSummary)
    const [first, again, other] = [await said(7), await said(7), await said(8)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('counts reasons, and says so, where the author writes nothing readable', async () => {
    const proposals = await proposalsOf(proseWorld(() => 'I cannot say.'))
    expect(proposals.length).toBeGreaterThan(0)
    for (const { criticSummary, critic: written } of proposals) {
      expect(criticSummary).toMatch(/^it (stood still|moved), case \d+ x1/)
      expect(written).toEqual({
        writtenBy: 'counts',
        answer: 'I cannot say.',
        problem: 'The author’s answer has no readable summary.',
      })
    }
  })

  it.each([
    ['context', 'The prompt for the summary filled the context of the author’s model.'],
    ['length', 'The author’s answer was cut at its token limit before a readable summary.'],
  ] as const)('says why the author has no summary after finish reason %s', async (finishReason, problem) => {
    const ports = proseWorld(() => 'Summary')
    const generate = ports.author.generate.bind(ports.author)
    ports.author.generate = async (requests, options) => {
      const completions = await generate(requests, options)
      if (!options.isFreeForm) return completions
      return completions.map((group) => group.map((completion) => ({ ...completion, finishReason })))
    }
    const proposals = await proposalsOf(ports)
    expect(proposals.map((event) => event.critic!.problem)).toEqual(proposals.map(() => problem))
    expect(proposals.length).toBeGreaterThan(0)
  })

  it('counts reasons, and says so, where the author can only rewrite', async () => {
    const { critic: _, ...author } = prose.author
    const ports = proseWorld(summarised, { ...prose, author })
    const proposals = await proposalsOf(ports)
    expect(ports.author.prompts.some((prompt) => prompt.startsWith('critic'))).toBe(false)
    expect(proposals.map((event) => event.critic)).toEqual(
      proposals.map(() => ({ writtenBy: 'counts', problem: 'The author’s model can rewrite but not summarise.' })),
    )
    expect(proposals.length).toBeGreaterThan(0)
  })

  it('is not asked for while nobody rewrites, nor where the judge is templated', async () => {
    const nulls = proseWorld(summarised)
    const proposals = await proposalsOf(nulls, { rewrites: 'null' })
    expect(proposals.length).toBeGreaterThan(0)
    expect(nulls.author.generateCalls).toBe(0)
    const templated = proseWorld(summarised, { ...prose, reward: formats.reward })
    for (const event of await proposalsOf(templated)) expect(event).not.toHaveProperty('critic')
    expect(templated.author.prompts.some((prompt) => prompt.startsWith('critic'))).toBe(false)
  })

  it('ends with the run that is aborted while it is written', async () => {
    const controller = new AbortController()
    const ports = proseWorld(summarised, prose, () => controller.abort())
    const generate = ports.author.generate.bind(ports.author)
    const signals: (AbortSignal | undefined)[] = []
    ports.author.generate = async (requests, options, signal?: AbortSignal) => {
      signals.push(signal)
      const completions = await generate(requests, options)
      signal?.throwIfAborted()
      return completions
    }
    const log = await logOf(ports, request(smallSettings(), { iterations: 4, signal: controller.signal }))
    expect(signals).toEqual([controller.signal])
    expect(ofType(log, 'rewrite-proposed')).toEqual([])
    expect(log.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
  })

  it('is left out of what a running loop remembers', async () => {
    const [proposal] = await proposalsOf(proseWorld(summarised))
    expect(stateEvent(proposal!)).toMatchObject({ criticSummary: '' })
    expect(stateEvent(proposal!)).not.toHaveProperty('critic')
  })
})
