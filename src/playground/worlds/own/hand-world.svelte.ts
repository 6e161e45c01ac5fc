/** A task that a person plays command by command, in the sandbox as the policy plays it. */
import type { OwnMoment } from '../../../worlds/own/play-service.ts'
import type { OwnPlayer } from './own-player.ts'
import type { Hand, Turn } from '../theatre/hand.ts'
import type { PlayedTask } from './played-task.ts'
import { errorText } from '../../../threads/error-text.ts'

export class HandWorld implements Hand {
  readonly task: PlayedTask
  readonly stepLimit: number
  readonly #player: OwnPlayer
  #commands = $state.raw<readonly string[]>([])
  /** One more than there are commands; empty until the world has answered. */
  #moments = $state.raw<readonly OwnMoment[]>([])
  #problem = $state.raw<string | null>(null)
  #isAnswering = $state.raw(false)
  #ticket = 0

  constructor(player: OwnPlayer, task: PlayedTask, stepLimit: number) {
    this.#player = player
    this.task = task
    this.stepLimit = stepLimit
    void this.#play([])
  }

  get moment(): OwnMoment | null {
    return this.#moments.at(-1) ?? null
  }
  get opening(): string {
    return this.#moments[0]?.text ?? ''
  }
  get turns(): readonly Turn[] {
    return this.#commands.map((command, at) => ({
      command,
      observation: this.#moments[at + 1]?.text ?? '',
      accepted: true,
    }))
  }
  /** Why the world could not answer; null if it did. */
  get problem(): string | null {
    return this.#problem
  }
  get distance(): number | null {
    return this.moment?.distance ?? null
  }
  /** Whether the world has yet to answer. A command is not taken until it has. */
  get isAnswering(): boolean {
    return this.#isAnswering
  }
  get isWon(): boolean {
    return this.moment?.outcome === 'won'
  }
  get isOver(): boolean {
    return (this.moment !== null && this.moment.outcome !== 'open') || this.#commands.length >= this.stepLimit
  }

  async say(command: string): Promise<void> {
    if (this.isOver || this.#isAnswering || command.trim() === '') return
    await this.#play([...this.#commands, command.trim()])
  }

  restart(): Promise<void> {
    return this.#play([])
  }

  /** An answer that comes after the game was started over is not taken. */
  async #play(commands: readonly string[]): Promise<void> {
    const ticket = ++this.#ticket
    this.#isAnswering = true
    try {
      const moments = await this.#player.play(this.task.world, this.task, commands)
      if (ticket !== this.#ticket) return
      this.#problem = moments === null ? 'The log does not contain this task.' : null
      if (moments === null) return
      this.#commands = commands
      this.#moments = moments
    } catch (cause) {
      if (ticket === this.#ticket) this.#problem = errorText(cause)
    } finally {
      if (ticket === this.#ticket) this.#isAnswering = false
    }
  }
}
