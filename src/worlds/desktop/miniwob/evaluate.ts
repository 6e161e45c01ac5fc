/**
 * Plays task pages with a policy: every task with the seeds 1 to N at temperature 0, some episodes at the same time. The same policy
 * and seeds give the same episodes.
 */
import type { EpisodeFinished } from '../../../method/events.ts'
import type { LanguageModelPort, RoleFormats } from '../../../method/ports.ts'
import { rollOut, type EpisodeRequest } from '../../../method/rollout.ts'
import { PageEnvironment, type PageTask } from './environment.ts'
import type { OpenPage } from './protocol.ts'

/** Commands of an episode. */
export const MAX_STEPS = 15

export interface EvaluationPlan {
  tasks: readonly { name: string; document: string }[]
  /** Episodes of each task. */
  episodes: number
  /** Episodes at the same time. */
  parallel: number
}

export interface PlayedPage extends EpisodeFinished {
  /** Why the page failed, which says nothing about the model; null if it did not. */
  failure: string | null
}

export interface Player {
  policy: Pick<LanguageModelPort, 'encode' | 'generate'>
  format: RoleFormats['policy']
  open: OpenPage
}

/** Yields every episode when it ends. Throws what the policy throws, or the signal's reason; episodes that are not over are then lost. */
export async function* evaluate(
  { tasks, episodes, parallel }: EvaluationPlan,
  { policy, format, open }: Player,
  signal: AbortSignal,
): AsyncGenerator<PlayedPage> {
  const requests = tasks.flatMap(({ name, document }) =>
    Array.from({ length: episodes }, (_, index) => requestOf(name, { document, seed: index + 1 })),
  )
  const environment = new PageEnvironment(open)
  try {
    for (let from = 0; from < requests.length; from += parallel) {
      const playing = rollOut(
        { policy, environment, formats: { policy: format } },
        requests.slice(from, from + parallel),
        { maxSteps: MAX_STEPS, temperature: 0, topP: 1, policyVersion: 0, seed: 0, showSteps: false, signal },
      )
      for await (const event of playing) {
        if (event.type !== 'episode') continue
        yield { ...event, failure: environment.failures.get(event.episodeId) ?? null }
      }
    }
  } finally {
    environment.close()
  }
}

function requestOf(name: string, body: PageTask): EpisodeRequest {
  const id = `${name}#${body.seed}`
  const task = { id, rootId: id, instruction: name, kind: name, body }
  return { episodeId: id, task, split: 'ood', rollout: body.seed - 1 }
}
