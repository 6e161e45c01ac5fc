/** The tasks of a run with their lineage: which rewrite created each, and what became of the rewrites tried on it. */
import type { GroupSummarised, RewriteProposed, RewriteResolved } from '../method/events.ts'
import type { Task } from '../method/ports.ts'
import type { IterationView, RewriteView, TaskView } from './views.ts'

export class TaskLineage {
  readonly tasks = new Map<string, TaskView>()
  /** By proposal. */
  readonly rewrites = new Map<string, RewriteView>()

  add(task: Task): void {
    this.tasks.set(task.id, { task, history: [], origin: null, rewrites: [], status: 'active' })
  }

  count({ taskId, policyVersion, played, won }: Omit<GroupSummarised, 'type' | 'steps'>, iteration: number): void {
    const history = this.tasks.get(taskId)?.history
    if (!history) return
    let entry = history.at(-1)
    if (entry?.iteration !== iteration) {
      entry = { iteration, won: 0, played: 0, policyVersion }
      history.push(entry)
    }
    entry.played += played
    entry.won += won
  }

  propose(proposal: RewriteProposed, iteration: number): void {
    const rewrite: RewriteView = { proposal, iteration, resolution: null }
    this.rewrites.set(proposal.proposalId, rewrite)
    this.tasks.get(proposal.taskId)?.rewrites.push(rewrite)
    if (!proposal.candidate) return
    this.tasks.set(proposal.candidate.id, {
      task: proposal.candidate,
      history: [],
      origin: rewrite,
      rewrites: [],
      status: 'candidate',
    })
  }

  /** Settles a rewrite; with `resolution` null, makes it pending again. */
  resolve(event: RewriteResolved, resolution: RewriteResolved | null = event): void {
    const rewrite = this.rewrites.get(event.proposalId)
    if (rewrite) rewrite.resolution = resolution
    const candidate = this.tasks.get(event.candidateId)
    if (candidate) candidate.status = resolution === null ? 'candidate' : resolution.accepted ? 'active' : 'rejected'
    const task = this.tasks.get(event.taskId)
    if (task) task.status = resolution?.accepted ? 'replaced' : 'active'
  }

  /** Ancestors of a task, from the original to the task itself. */
  ancestry(taskId: string): TaskView[] {
    const chain: TaskView[] = []
    let view = this.tasks.get(taskId)
    while (view) {
      chain.push(view)
      view = view.origin ? this.tasks.get(view.origin.proposal.taskId) : undefined
    }
    return chain.reverse()
  }

  /** Removes what an interrupted iteration left. */
  discard({ iteration, taskIds, pendingTaskIds, remeasuredTaskIds, resolved, proposed }: IterationView): void {
    for (const event of resolved) this.resolve(event, null)
    for (const proposal of proposed) {
      this.rewrites.delete(proposal.proposalId)
      if (proposal.candidate) this.tasks.delete(proposal.candidate.id)
      const rewrites = this.tasks.get(proposal.taskId)?.rewrites
      if (rewrites?.at(-1)?.proposal === proposal) rewrites.pop()
    }
    for (const taskId of [...taskIds, ...pendingTaskIds, ...remeasuredTaskIds]) {
      const history = this.tasks.get(taskId)?.history
      if (history?.at(-1)?.iteration === iteration) history.pop()
    }
  }

  /** A copy at the end of an iteration; `resolved` are the resolutions until then. */
  at(iteration: number, resolved: readonly RewriteResolved[]): TaskLineage {
    const copy = new TaskLineage()
    const isPast = ({ iteration: own }: { iteration: number }) => own <= iteration
    for (const [id, rewrite] of this.rewrites)
      if (isPast(rewrite)) copy.rewrites.set(id, { ...rewrite, resolution: null })
    for (const [id, { task, history, origin, rewrites }] of this.tasks) {
      if (origin && !isPast(origin)) continue
      copy.tasks.set(id, {
        task,
        history: history.filter(isPast),
        origin: origin && copy.rewrites.get(origin.proposal.proposalId)!,
        rewrites: rewrites.filter(isPast).map(({ proposal }) => copy.rewrites.get(proposal.proposalId)!),
        status: origin ? 'candidate' : 'active',
      })
    }
    for (const event of resolved) copy.resolve(event)
    return copy
  }
}
