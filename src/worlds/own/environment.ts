/** A world of one's own as the loop's environment: running episodes by id, stepped in batches. */
import { UnknownEpisodeError } from '../unknown-episode-error.ts'
import type { EnvironmentPort, EpisodeStart, RewriteResult, Split, StepResult, Task } from '../../method/ports.ts'
import type { Data, OwnGuest } from './guest.ts'
import { distanceOf, labelOf } from './insight.ts'
import { describeTask, portTask, sampleTasks } from './tasks.ts'

interface Episode {
  state: Data
  distance: number | null
  stepsLeft: number
}

/** Every method throws OwnWorldError if the world's file does something wrong. */
export class OwnEnvironment implements EnvironmentPort {
  readonly #guest: OwnGuest
  readonly #episodes = new Map<string, Episode>()

  constructor(guest: OwnGuest) {
    this.#guest = guest
  }

  async sampleTasks(split: Split, count: number, seed: number): Promise<Task[]> {
    return sampleTasks(this.#guest, split, count, seed)
  }

  async reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    // The rollouts of one task begin alike.
    const known = new Map<unknown, { state: Data; text: string; distance: number | null }>()
    return starts.map(({ episodeId, task, maxSteps }) => {
      const start = known.get(task.body) ?? this.#started(task.body)
      known.set(task.body, start)
      const { state, text, distance } = start
      this.#episodes.set(episodeId, { state, distance, stepsLeft: maxSteps })
      return { episodeId, opening: text }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]> {
    return actions.map(({ episodeId, command }) => {
      const episode = this.#episodes.get(episodeId)
      if (!episode) throw new UnknownEpisodeError(episodeId)
      const { state: before, distance: distanceBefore, stepsLeft } = episode
      const { state, text } = this.#guest.step(before, command)
      const outcome = this.#guest.outcome(state)
      const distance = distanceOf(this.#guest, state)
      const taken = { before, command, after: state, distanceBefore, distanceAfter: distance }
      const trueLabel = labelOf(this.#guest, taken)
      const done = outcome !== 'open' || stepsLeft <= 1
      if (done) this.#episodes.delete(episodeId)
      else this.#episodes.set(episodeId, { state, distance, stepsLeft: stepsLeft - 1 })
      const won = outcome === 'won'
      return { episodeId, observation: text, won, done, trueLabel, distance: distance === Infinity ? -1 : distance }
    })
  }

  /** The task, and the changes that it allows: authors choose among them. */
  async describe({ body }: Task): Promise<string> {
    return describeTask(this.#guest, body)
  }

  async rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number): Promise<RewriteResult> {
    const refused = (message: string): RewriteResult => ({ ok: false, message })
    if (!this.#guest.parts.has('rewrite')) return refused('This world has no rewrites.')
    const text = rewriteText.trim()
    const body = this.#guest.rewrite(task.body, text)
    if (body === null) return refused(`"${text.slice(0, 80)}" is not a rewrite.`)
    if (JSON.stringify(body) === JSON.stringify(task.body)) return refused('That changes nothing.')
    const { state, distance } = this.#started(body)
    if (this.#guest.outcome(state) !== 'open') return refused('The task would be over from the start.')
    if (distance !== null && distance > maxSteps)
      return refused(`The task could not be solved within ${maxSteps} steps.`)
    return { ok: true, task: portTask(this.#guest, body, newId, task.rootId), message: `Changed: ${text}.` }
  }

  #started(body: Data): { state: Data; text: string; distance: number | null } {
    const { state, text } = this.#guest.reset(body)
    return { state, text, distance: distanceOf(this.#guest, state) }
  }
}
