/**
 * What a translator knows of its run. It follows from the events that the translator has reported (`apply`) and from `memory`, which is
 * small and stored beside them, so a translator can be stopped anywhere and continue from its log.
 */
import type { LoggedEvent } from '../../method/events.ts'
import type { Settings } from '../../method/settings.ts'

/** State that does not follow from the events. */
export interface TranslatorMemory {
  /** The log's current step; 0 before the first. */
  logStep: number
  /** Number of models trained in it. */
  trained: number
  /** Metrics of the open iteration. */
  metrics: Record<string, number>
}

export interface OpenProposal {
  proposalId: string
  taskId: string
  accuracy: number
  policyVersion: number
  rootId: string
  createdStep: number
}

const MODELS_TRAINED = 2

/** Apart from `memory`, `apply` alone changes it. */
export class TranslatorState {
  memory: TranslatorMemory = { logStep: 0, trained: 0, metrics: {} }
  settings: Settings
  nextSeq = 0
  hasStarted = false
  isOver = false
  /** The last step whose results have been reported. */
  iteration = 0
  isOpen = false
  /** Steps whose evaluation has been reported. */
  readonly evaluated = new Set<number>()
  /** Ids of tasks and candidates. */
  readonly tasks = new Set<string>()
  /** Active task of each rewritten root. */
  readonly #active = new Map<string, string>()
  readonly proposals = new Map<string, OpenProposal>()
  resolved = 0
  accepted = 0

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** The latest step seen in the log or the results; 0 before the first. */
  get step(): number {
    return Math.max(this.memory.logStep, this.iteration)
  }

  /** Whether the open iteration has everything that is reported of it. */
  get isIterationDone(): boolean {
    const isTrained = this.memory.logStep > this.iteration || this.memory.trained >= MODELS_TRAINED
    const every = this.settings.evaluateEvery
    const isDue = every > 0 && this.iteration % every === 0
    return this.isOpen && isTrained && (!isDue || this.evaluated.has(this.iteration))
  }

  /** The open proposal of a root, if any. */
  openProposal(rootId: string): { createdStep: number; accuracy: number } | null {
    for (const proposal of this.proposals.values()) if (proposal.rootId === rootId) return proposal
    return null
  }

  /** The task that a root's rollouts play now. */
  activeTask(rootId: string): string {
    return this.#active.get(rootId) ?? rootId
  }

  /** Called for each reported event, and for the stored events after a restart. */
  apply(event: LoggedEvent): void {
    this.nextSeq = event.seq + 1
    switch (event.type) {
      case 'run-started':
        this.hasStarted = true
        this.settings = event.settings
        break
      case 'settings-changed':
        this.settings = { ...this.settings, ...event.patch }
        break
      case 'task-added':
        this.tasks.add(event.task.id)
        break
      case 'iteration-started':
        this.iteration = event.iteration
        this.isOpen = true
        break
      case 'rewrite-proposed':
        if (event.candidate) {
          this.tasks.add(event.candidate.id)
          this.proposals.set(event.proposalId, {
            proposalId: event.proposalId,
            taskId: event.taskId,
            accuracy: event.accuracy,
            policyVersion: event.policyVersion,
            rootId: event.candidate.rootId,
            createdStep: event.policyVersion + 1,
          })
        }
        break
      case 'rewrite-resolved': {
        const open = this.proposals.get(event.proposalId)
        this.proposals.delete(event.proposalId)
        this.resolved++
        if (!event.accepted) break
        this.accepted++
        if (open) this.#active.set(open.rootId, event.candidateId)
        break
      }
      case 'evaluation':
        this.evaluated.add(event.iteration)
        break
      case 'iteration-finished':
        this.isOpen = false
        break
      case 'run-finished':
        this.isOver = true
        break
      default:
        break
    }
  }
}
