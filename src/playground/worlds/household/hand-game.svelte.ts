/** A game that a person plays command by command, in the same engine as the policy. */
import { admissibleCommands } from '../../../worlds/household/engine/commands.ts'
import { step } from '../../../worlds/household/engine/step.ts'
import { nextCommandKnowingAll } from '../../../worlds/household/planning/expert.ts'
import { openingText } from '../../../worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../../worlds/household/planning/plan.ts'
import { cloneState, startGame, type Dialect, type GameState } from '../../../worlds/household/engine/state.ts'
import { describeTask, gameOf, type HouseholdTask } from '../../../worlds/household/task.ts'
import type { Hand, Turn } from '../theatre/hand.ts'
import { commandGroups, type CommandGroup } from './hand-game.ts'

export interface HandGameOptions {
  dialect: Dialect
  explainRefusals: boolean
  /** ALFWorld's own by default. */
  stepLimit?: number
}

export class HandGame implements Hand {
  readonly task: HouseholdTask
  readonly stepLimit: number
  #state: GameState
  #turns = $state.raw<readonly Turn[]>([])
  #groups: readonly CommandGroup[]
  #distance: number

  constructor(task: HouseholdTask, { dialect, explainRefusals, stepLimit = 50 }: HandGameOptions) {
    this.task = task
    this.stepLimit = stepLimit
    this.#state = $state.raw(startGame(gameOf(task), { dialect, stepLimit, explainRefusals }))
    this.#groups = $derived(this.isOver ? [] : commandGroups(admissibleCommands(this.#state)))
    this.#distance = $derived(distanceToGoal(this.#state))
  }

  get instruction(): string {
    return this.task.instruction
  }

  /** The initial scene as the author reads it. */
  get scene(): string {
    return describeTask(this.task)
  }
  get dialect(): Dialect {
    return this.#state.dialect
  }
  /** Whether refused commands give a reason. */
  get isExplaining(): boolean {
    return this.#state.explainRefusals
  }
  /** Room and task as the policy reads them. */
  get opening(): string {
    return openingText(this.#state, this.task.instruction)
  }
  get turns(): readonly Turn[] {
    return this.#turns
  }
  /** Admissible commands; none when the game is over. */
  get groups(): readonly CommandGroup[] {
    return this.#groups
  }
  /** Length of the shortest path to the goal; Infinity if it can no longer be reached. */
  get distance(): number {
    return this.#distance
  }
  get isWon(): boolean {
    return this.#state.won
  }
  /** Won, or out of commands. */
  get isOver(): boolean {
    return this.#state.done
  }

  /** Starts the game over. */
  restart(dialect = this.dialect): void {
    const { stepLimit, isExplaining: explainRefusals } = this
    this.#state = startGame(gameOf(this.task), { dialect, stepLimit, explainRefusals })
    this.#turns = []
  }

  /** Sets whether refused commands give a reason from now on. */
  explain(explainRefusals: boolean): void {
    this.#state = { ...this.#state, explainRefusals }
  }

  play(command: string): void {
    if (this.isOver || command.trim() === '') return
    const next = cloneState(this.#state)
    const { observation, accepted } = step(next, command)
    this.#turns = [...this.#turns, { command, observation, accepted }]
    this.#state = next
  }

  /** The next command of a shortest path, with full knowledge of the scene. */
  hint(): string {
    return nextCommandKnowingAll(this.#state).command
  }
}
