/**
 * Asks the author for candidates (RLAnything, "adapting environment tasks by critic feedback"). It reads the task, the direction,
 * the accuracy and the critic's summary (critic-writing.ts), and writes a few completions of that prompt. The first one that the environment can
 * apply becomes the candidate; the log keeps the others with the reasons why not.
 *
 * With `rewrites: 'null'` no model is asked, and a candidate is the unchanged task under a new id: acceptance is then chance
 * (null-acceptance.ts).
 */
import { writeCritics } from './critic-writing.ts'
import type { PhaseProgressed, RewriteProposed } from './events.ts'
import type { LoopPorts } from './loop-contract.ts'
import type { CriticReasoning, Direction, Task } from './ports.ts'
import { deriveSeed } from './random.ts'
import type { Settings } from './settings.ts'

/** A task that left the band. */
export interface RewriteRequest {
  proposalId: string
  candidateId: string
  task: Task
  direction: Direction
  accuracy: number
  /** Reasons with their counts, and some in full, for a judge that writes prose. */
  criticSummary: string
  reasonings: readonly CriticReasoning[]
}

export interface ProposalOptions {
  settings: Settings
  /** The version that the accuracies were measured with. */
  policyVersion: number
  seed: number
  signal?: AbortSignal | undefined
}

/** Yields one proposal for each request, even if no attempt was valid. Returns the tokens that were sampled for critics. */
export async function* proposeRewrites(
  { author, environment, formats }: Pick<LoopPorts, 'author' | 'environment' | 'formats'>,
  requests: readonly RewriteRequest[],
  { settings, policyVersion, seed, signal }: ProposalOptions,
): AsyncGenerator<RewriteProposed | PhaseProgressed, number, void> {
  if (requests.length === 0) return 0
  yield { type: 'progress', phase: 'adapt', done: 0, total: requests.length }
  if (settings.rewrites === 'null') {
    for (const { candidateId, task, reasonings: _, ...request } of requests) {
      yield {
        type: 'rewrite-proposed',
        ...request,
        taskId: task.id,
        policyVersion,
        attempts: [{ text: '', message: 'A null rewrite: the unchanged task under a new id.', ok: true }],
        candidate: { ...task, id: candidateId },
      }
    }
    yield { type: 'progress', phase: 'adapt', done: requests.length, total: requests.length }
    return 0
  }
  const critics = await writeCritics({ author, formats }, requests, { settings, seed, signal })
  const descriptions = await Promise.all(requests.map(({ task }) => environment.describe(task)))
  const prompts = await author.encode(
    requests.map(({ direction, accuracy }, index) => {
      const { criticSummary, critic } = critics[index]!
      const description = descriptions[index]!
      return formats.author.prompt({
        description,
        direction,
        accuracy,
        criticSummary,
        ...(critic && { criticWriter: critic.writtenBy }),
      })
    }),
  )
  const completions = await author.generate(
    prompts.map((prompt, index) => ({
      prompt,
      count: settings.rewriteAttempts,
      seed: deriveSeed(seed, requests[index]!.proposalId),
    })),
    { temperature: settings.authorTemperature, topP: settings.topP, maxTokens: formats.author.maxTokens },
    signal,
  )

  const firstValid = async (
    task: Task,
    texts: readonly string[],
    candidateId: string,
  ): Promise<Pick<RewriteProposed, 'attempts' | 'candidate'>> => {
    const attempts: RewriteProposed['attempts'] = []
    for (const text of texts) {
      const result = await environment.rewrite(task, formats.author.parse(text), candidateId, settings.maxSteps)
      const candidate = result.ok ? (result.task ?? null) : null
      attempts.push({ text, message: result.message, ok: candidate !== null })
      if (candidate) return { attempts, candidate }
    }
    return { attempts, candidate: null }
  }

  for (const [index, request] of requests.entries()) {
    const { proposalId, candidateId, task, direction, accuracy } = request
    const { criticSummary, critic } = critics[index]!
    signal?.throwIfAborted()
    const texts = (completions[index] ?? []).map((completion) => completion.text)
    const written = await firstValid(task, texts, candidateId)
    yield {
      type: 'rewrite-proposed',
      proposalId,
      taskId: task.id,
      direction,
      accuracy,
      policyVersion,
      criticSummary,
      ...(critic && { critic }),
      ...written,
    }
    yield { type: 'progress', phase: 'adapt', done: index + 1, total: requests.length }
  }
  return critics.reduce((total, { tokens }) => total + tokens, 0)
}
