/**
 * The critic that the author reads before it rewrites a task (RLAnything: "a summarized critic derived from" the reward model's
 * outputs r_ij). Reasons of a templated judge recur and are counted. Those of a judge that writes prose are all different, so
 * the author, the environment's language model, summarises some of them first:
 *
 *     reasonings of the task (step-judging/critic-reasonings.ts) → one completion → at most two sentences
 *
 * The released AlfWorld code asks the same model for as many, but of raw trajectories (alfworld_rl_rollout.py:1354-1435); we
 * follow the paper. An author that cannot summarise, or writes nothing readable, is logged, and the reasons are counted.
 */
import type { CriticWritten } from './events.ts'
import type { LoopPorts } from './loop-contract.ts'
import type { Completion, CriticReasoning, Direction, Task } from './ports.ts'
import { deriveSeed } from './random.ts'
import type { Settings } from './settings.ts'

export interface CriticRequest {
  proposalId: string
  task: Task
  direction: Direction
  /** Reasons with their counts. */
  criticSummary: string
  reasonings: readonly CriticReasoning[]
}

export interface Critic {
  criticSummary: string
  /** Missing if reasons are counted as usual. */
  critic?: CriticWritten
  /** Sampled from the author. */
  tokens: number
}

/** One critic for each request, in the same order; at most one completion for each. */
export async function writeCritics(
  { author, formats }: Pick<LoopPorts, 'author' | 'formats'>,
  requests: readonly CriticRequest[],
  { settings, seed, signal }: { settings: Settings; seed: number; signal?: AbortSignal | undefined },
): Promise<Critic[]> {
  const isProse = formats.reward.kind === 'step-judge' && formats.reward.reasoning === 'prose'
  const asked = isProse ? requests.filter(({ reasonings }) => reasonings.length > 0) : []
  const format = formats.author.critic
  const completions = new Map<CriticRequest, Completion>()
  if (format && asked.length > 0) {
    const prompts = await author.encode(
      asked.map(({ task, direction, reasonings }) =>
        format.prompt({ instruction: task.instruction, direction, reasonings }),
      ),
    )
    const answers = await author.generate(
      prompts.map((prompt, index) => ({
        prompt,
        count: 1,
        seed: deriveSeed(seed, asked[index]!.proposalId, 'critic'),
      })),
      { temperature: settings.authorTemperature, topP: settings.topP, maxTokens: format.maxTokens, isFreeForm: true },
      signal,
    )
    asked.forEach((request, index) => {
      const completion = answers[index]?.[0]
      if (!completion) throw new Error(`The author returned no summary for rewrite ${request.proposalId}.`)
      completions.set(request, completion)
    })
  }
  return requests.map((request): Critic => {
    const { criticSummary } = request
    if (!asked.includes(request)) return { criticSummary, tokens: 0 }
    const completion = completions.get(request)
    if (!format || !completion) {
      const problem = 'The author’s model can rewrite but not summarise.'
      return { criticSummary, critic: { writtenBy: 'counts', problem }, tokens: 0 }
    }
    const { text: answer, tokens } = completion
    const summary = format.parse(answer)
    if (summary !== null)
      return { criticSummary: summary, critic: { writtenBy: 'author', answer }, tokens: tokens.length }
    const problem =
      completion.finishReason === 'context'
        ? 'The prompt for the summary filled the context of the author’s model.'
        : completion.finishReason === 'length'
          ? 'The author’s answer was cut at its token limit before a readable summary.'
          : 'The author’s answer has no readable summary.'
    return { criticSummary, critic: { writtenBy: 'counts', answer, problem }, tokens: tokens.length }
  })
}
