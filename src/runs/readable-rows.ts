/**
 * A log as rows for other tools: one for each episode with its votes and advantages, one for each task with its origin. Names
 * are snake_case, as in the libraries that read them.
 */
import type { EpisodeFinished, Evaluation, LoggedEvent, RewriteProposed, RewriteResolved } from '../method/events.ts'
import type { Task } from '../method/ports.ts'

interface Collected {
  episode: EpisodeFinished
  votes: Evaluation[][] | null
  feedback: number[] | null
  policy: (number | null)[] | null
  reward: (number | null)[][] | null
}

/** Collects the rows of episodes, an iteration at a time: all events about an episode are in its iteration. */
export class EpisodeRows {
  #iteration = 0
  readonly #open = new Map<string, Collected>()

  /** Returns the rows of the previous iteration when the next one begins. */
  take(event: LoggedEvent): object[] {
    const done = event.iteration !== this.#iteration || event.type === 'iteration-started' ? this.rest(event) : []
    this.#iteration = event.iteration
    if (event.type === 'episode') {
      this.#open.set(event.episodeId, { episode: event, votes: null, feedback: null, policy: null, reward: null })
    } else if (event.type === 'judged') {
      const found = this.#open.get(event.episodeId)
      if (found) found.votes = event.votes
    } else if (event.type === 'advantages') {
      const found = this.#open.get(event.episodeId)
      if (found) Object.assign(found, { feedback: event.feedback, policy: event.policy, reward: event.reward })
    }
    return done
  }

  /** The remaining rows; none if `next` restarts the iteration, because an interrupted one does not count. */
  rest(next?: LoggedEvent): object[] {
    const isAgain = next?.type === 'iteration-started' && next.iteration === this.#iteration
    const rows = isAgain ? [] : Array.from(this.#open.values(), (each) => episodeRow(each, this.#iteration))
    this.#open.clear()
    return rows
  }
}

function episodeRow({ episode, votes, feedback, policy, reward }: Collected, iteration: number): object {
  return {
    iteration,
    episode_id: episode.episodeId,
    task_id: episode.taskId,
    split: episode.split,
    rollout: episode.rollout,
    policy_version: episode.policyVersion,
    instruction: episode.instruction,
    opening: episode.opening,
    outcome: episode.outcome,
    steps: episode.steps.map((step, i) => ({
      response: step.response,
      thought: step.thought,
      command: step.command,
      observation: step.observation,
      true_label: step.trueLabel,
      distance: step.distance,
      tokens: step.tokens,
      log_probs: step.logProbs,
      ...(step.tests && { tests: step.tests }),
      ...(votes?.[i] && { votes: votes[i] }),
      ...(feedback && { feedback: feedback[i] }),
      ...(policy && { advantage: policy[i] }),
      ...(reward && { vote_advantages: reward[i] }),
    })),
  }
}

/** Collects the rows of tasks, in the order of their events. */
export class TaskRows {
  readonly #tasks: { task: Task; iteration: number; proposal: RewriteProposed | null }[] = []
  readonly #resolved = new Map<string, RewriteResolved>()

  take(event: LoggedEvent): void {
    const { iteration } = event
    if (event.type === 'task-added') this.#tasks.push({ task: event.task, iteration, proposal: null })
    if (event.type === 'rewrite-proposed' && event.candidate)
      this.#tasks.push({ task: event.candidate, iteration, proposal: event })
    if (event.type === 'rewrite-resolved') this.#resolved.set(event.proposalId, event)
  }

  rows(): object[] {
    return this.#tasks.map(({ task, iteration, proposal }) => {
      const resolved = proposal && this.#resolved.get(proposal.proposalId)
      return {
        task_id: task.id,
        root_id: task.rootId,
        iteration,
        kind: task.kind,
        instruction: task.instruction,
        body: task.body,
        ...(proposal && {
          rewritten_from: proposal.taskId,
          direction: proposal.direction,
          critic_summary: proposal.criticSummary,
          ...(proposal.critic && { critic_written_by: proposal.critic.writtenBy }),
          accuracy_before: proposal.accuracy,
        }),
        ...(resolved && { accuracy_after: resolved.accuracyAfter, accepted: resolved.accepted, rule: resolved.rule }),
      }
    })
  }
}
