/**
 * A log as rows for other tools: one for each episode with its votes and advantages, one for each task with its origin. An iteration that
 * did not finish has none (history.ts). Names are snake_case, as in the libraries that read them.
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

  /** Returns the rows of an iteration when it has finished; those of what precedes the first when that begins. */
  take(event: LoggedEvent): object[] {
    const isNext = event.iteration !== this.#iteration || event.type === 'iteration-started'
    const before = isNext ? this.rest() : []
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
    return event.type === 'iteration-finished' ? this.#rows() : before
  }

  /** What remains at the end of the log: rows of what precedes the first iteration. */
  rest(): object[] {
    const rows = this.#rows()
    return this.#iteration === 0 ? rows : []
  }

  #rows(): object[] {
    const rows = Array.from(this.#open.values(), (each) => episodeRow(each, this.#iteration))
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
  /** Rows of an iteration that has not finished. */
  #open: (RewriteProposed | RewriteResolved)[] = []

  take(event: LoggedEvent): void {
    const { iteration } = event
    if (event.type === 'task-added') this.#tasks.push({ task: event.task, iteration, proposal: null })
    if (event.type === 'iteration-started') this.#open = []
    if (event.type === 'rewrite-proposed' || event.type === 'rewrite-resolved') this.#open.push(event)
    if (event.type !== 'iteration-finished') return
    for (const change of this.#open) {
      if (change.type === 'rewrite-resolved') this.#resolved.set(change.proposalId, change)
      else if (change.candidate) this.#tasks.push({ task: change.candidate, iteration, proposal: change })
    }
    this.#open = []
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
