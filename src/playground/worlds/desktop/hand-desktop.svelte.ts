/** A task that a person does with mouse and keyboard, in the same engine and under the same verifier as the policy. */
import { SHORTCUTS, type Shortcut } from '../../../worlds/desktop/engine/commands.ts'
import { cloneState, startGame, type DesktopState } from '../../../worlds/desktop/engine/state.ts'
import { step } from '../../../worlds/desktop/engine/step.ts'
import { openingText } from '../../../worlds/desktop/engine/observations.ts'
import { distanceToGoal } from '../../../worlds/desktop/planning/distance.ts'
import { nextCommand } from '../../../worlds/desktop/planning/expert.ts'
import type { DesktopGame } from '../../../worlds/desktop/engine/game.ts'
import { clicked } from '../../../worlds/desktop/scene/dialects.ts'
import type { Rectangle } from '../../../worlds/desktop/scene/scene.ts'
import type { Hand, Turn } from '../theatre/hand.ts'
import { screenView, type ScreenView } from './screen-view.ts'

export class HandDesktop implements Hand {
  readonly game: DesktopGame
  readonly stepLimit: number
  #state: DesktopState
  #view: ScreenView
  #turns = $state.raw<readonly Turn[]>([])
  #pointer = $state.raw<Rectangle | null>(null)
  /** Letters that are not played yet. */
  #typed = $state('')

  constructor(game: DesktopGame, stepLimit: number) {
    this.game = game
    this.stepLimit = stepLimit
    this.#state = $state.raw(startGame(game, { stepLimit: this.stepLimit }))
    this.#view = $derived(screenView(this.#state))
  }

  get instruction(): string {
    return this.game.instruction
  }
  get opening(): string {
    return openingText(startGame(this.game), this.game.instruction)
  }
  get view(): ScreenView {
    return this.#view
  }
  get turns(): readonly Turn[] {
    return this.#turns
  }
  get pointer(): Rectangle | null {
    return this.#pointer
  }
  get typed(): string {
    return this.#typed
  }
  get said(): string {
    return this.#turns.at(-1)?.observation ?? this.game.instruction
  }
  /** Length of the shortest way to the end; Infinity if the task can no longer be won. */
  get distance(): number {
    return distanceToGoal(this.#state)
  }
  get isWon(): boolean {
    return this.#state.won
  }
  get isOver(): boolean {
    return this.#state.done
  }

  restart(): void {
    this.#state = startGame(this.game, { stepLimit: this.stepLimit })
    this.#turns = []
    this.#pointer = null
    this.#typed = ''
  }

  play(command: string): void {
    if (this.isOver || command.trim() === '') return
    this.#pointer = clicked(this.#state, command, 'names')?.place ?? this.#pointer
    const next = cloneState(this.#state)
    const { observation, accepted } = step(next, command)
    this.#turns = [...this.#turns, { command, observation, accepted }]
    this.#state = next
    this.#typed = ''
  }

  /** Takes a key as the desktop would; false if it means nothing to it. Letters are played together by Enter. */
  press(key: string, isControl: boolean): boolean {
    if (this.isOver) return false
    if (isControl) return this.#shortcut(`ctrl ${key.toLowerCase()}`)
    if (key === 'Enter' && this.#typed !== '') this.play(`type ${this.#typed}`)
    else if (key === 'Backspace' && this.#typed !== '') this.#typed = this.#typed.slice(0, -1)
    else if (key.length === 1) this.#typed += key
    else return this.#shortcut(key.toLowerCase())
    return true
  }

  #shortcut(name: string): boolean {
    if (!SHORTCUTS.includes(name as Shortcut)) return false
    this.play(`key ${name}`)
    return true
  }

  /** The next command of a shortest way, with full knowledge of the desktop; null if nothing helps any more. */
  hint(): string | null {
    return nextCommand(this.#state)
  }
}
