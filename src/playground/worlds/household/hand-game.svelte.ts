/** A game that a person plays command by command, in the same engine as the policy. */
import { admissibleCommands } from '../../../worlds/household/engine/commands.ts'
import { step } from '../../../worlds/household/engine/step.ts'
import { nextCommandKnowingAll } from '../../../worlds/household/planning/expert.ts'
import { taskSentence, type HouseholdGame } from '../../../worlds/household/engine/game.ts'
import { openingText } from '../../../worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../../worlds/household/planning/plan.ts'
import { startGame, type Dialect, type GameState } from '../../../worlds/household/engine/state.ts'
import { describeTask, taskOf } from '../../../worlds/household/task.ts'
import type { Hand, Turn } from '../theatre/hand.ts'
import { commandGroups, type CommandGroup } from './hand-game.ts'

export interface HandGameOptions {
  dialect: Dialect
  explainRefusals: boolean
}

export class HandGame implements Hand {
  readonly game: HouseholdGame
  /** ALFWorld's own limit. */
  readonly stepLimit = 50
  #dialect = $state.raw<Dialect>('v2')
  #isExplaining = $state.raw(false)
  #state: GameState
  #opening = $state.raw('')
  #turns = $state.raw<readonly Turn[]>([])
  #groups = $state.raw<readonly CommandGroup[]>([])
  #distance = $state.raw(0)
  #isWon = $state.raw(false)
  #isOver = $state.raw(false)

  constructor(game: HouseholdGame, { dialect, explainRefusals }: HandGameOptions) {
    this.game = game
    this.#isExplaining = explainRefusals
    this.#state = this.#start(dialect)
  }

  get instruction(): string {
    return taskSentence(this.game)
  }

  /** The initial scene as the author reads it. */
  get scene(): string {
    return describeTask(taskOf(this.game))
  }
  get dialect(): Dialect {
    return this.#dialect
  }
  /** Sets whether refused commands give a reason from now on. */
  get isExplaining(): boolean {
    return this.#isExplaining
  }
  /** Room and task as the policy reads them. */
  get opening(): string {
    return this.#opening
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
    return this.#isWon
  }
  /** Won, or out of commands. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Starts the game over. */
  restart(dialect = this.#dialect): void {
    this.#state = this.#start(dialect)
  }

  explain(isExplaining: boolean): void {
    this.#isExplaining = isExplaining
    this.#state = { ...this.#state, explainRefusals: isExplaining }
  }

  play(command: string): void {
    if (this.isOver || command.trim() === '') return
    const { observation, accepted } = step(this.#state, command)
    this.#turns = [...this.#turns, { command, observation, accepted }]
    this.#look(this.#state)
  }

  /** The next command of a shortest path, with full knowledge of the scene. */
  hint(): string {
    return nextCommandKnowingAll(this.#state).command
  }

  #start(dialect: Dialect): GameState {
    const state = startGame(this.game, { dialect, stepLimit: this.stepLimit, explainRefusals: this.#isExplaining })
    this.#dialect = dialect
    this.#turns = []
    this.#opening = openingText(state)
    this.#look(state)
    return state
  }

  #look(state: GameState): void {
    this.#isWon = state.won
    this.#isOver = state.done
    this.#groups = state.done ? [] : commandGroups(admissibleCommands(state))
    this.#distance = distanceToGoal(state)
  }
}
