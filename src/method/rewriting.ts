/**
 * Asks the author for candidates (RLAnything, "adapting environment tasks by critic feedback"). It reads the task, the direction,
 * the accuracy and the critic's summary, and writes a few completions of that prompt. The first one that the environment can
 * apply becomes the candidate; the log keeps the others with the reasons why not.
 *
 * With `rewrites: 'null'` nobody is asked, and a candidate is the unchanged task under a new id: what is then accepted is chance
 * (null-acceptance.ts).
 */
import type { PhaseProgressed, RewriteProposed } from './events.ts'
import type { LoopPorts } from './loop-contract.ts'
import type { Direction, Task } from './ports.ts'
import { deriveSeed } from './random.ts'
import type { Settings } from './settings.ts'

/** A task that left the band. */
export interface RewriteRequest {
  proposalId: string
  candidateId: string
  task: Task
  direction: Direction
  accuracy: number
  criticSummary: string
}

export interface ProposalOptions {
  settings: Settings
  /** The version that the accuracies were measured with. */
  policyVersion: number
  seed: number
  signal?: AbortSignal | undefined
}

/** Yields one proposal for each request, even if no attempt was valid. */
export async function* proposeRewrites(
  { author, environment, formats }: Pick<LoopPorts, 'author' | 'environment' | 'formats'>,
  requests: readonly RewriteRequest[],
  { settings, policyVersion, seed, signal }: ProposalOptions,
): AsyncGenerator<RewriteProposed | PhaseProgressed, void, void> {
  if (requests.length === 0) return
  yield { type: 'progress', phase: 'adapt', done: 0, total: requests.length }
  if (settings.rewrites === 'null') {
    for (const { candidateId, task, ...request } of requests) {
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
    return
  }
  const descriptions = await Promise.all(requests.map(({ task }) => environment.describe(task)))
  const prompts = await author.encode(
    requests.map(({ direction, accuracy, criticSummary }, index) =>
      formats.author.prompt({ description: descriptions[index]!, direction, accuracy, criticSummary }),
    ),
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
    const { proposalId, candidateId, task, direction, accuracy, criticSummary } = request
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
      ...written,
    }
    yield { type: 'progress', phase: 'adapt', done: index + 1, total: requests.length }
  }
}
