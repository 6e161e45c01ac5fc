/** Plays a game with a person in a terminal, or with commands from a pipe. */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { admissibleCommands } from '../../worlds/household/engine/commands.ts'
import { step } from '../../worlds/household/engine/step.ts'
import { nextCommandKnowingAll } from '../../worlds/household/planning/expert.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import { openingText } from '../../worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../worlds/household/planning/plan.ts'
import { cloneState, startGame, type GameState, type StartOptions } from '../../worlds/household/engine/state.ts'

export interface Terminal {
  input: Readable
  output: Writable
  /** Whether a person types; otherwise commands are echoed after the prompt, so that the output reads like a session. */
  isInteractive: boolean
}

const PROMPT = '> '
const HELPERS = {
  ':admissible': 'lists the commands that are possible now',
  ':hint': 'shows the next command of a shortest way to the goal',
  ':distance': 'shows how many commands a shortest way to the goal takes',
  ':undo': 'undoes the last command',
  ':restart': 'restarts the game',
  ':quit': 'ends the game',
  ':help': 'shows this list; `help` alone is a command of the game',
}

/** Plays until the game or the input ends or the player quits. Returns whether the game was won. */
export async function playHousehold(game: HouseholdGame, options: StartOptions, terminal: Terminal): Promise<boolean> {
  const { input, output, isInteractive } = terminal
  const session = new Session(game, options)
  const lines = createInterface({
    input,
    ...(isInteractive && { output, completer: (line: string) => session.completions(line) }),
    terminal: isInteractive,
    prompt: PROMPT,
  })
  lines.on('SIGINT', () => lines.close())
  const say = (text: string) => output.write(`${text}\n`)
  const ask = () => {
    if (isInteractive) lines.prompt()
    else output.write(PROMPT)
  }
  say(`${session.opening}\n`)
  if (isInteractive) say('Press Tab to complete; :help lists the commands that are not part of the game.\n')
  ask()
  for await (const line of lines) {
    const command = line.trim()
    if (!isInteractive) say(command)
    if (command === ':quit') break
    if (command !== '') say(`${session.take(command)}\n`)
    if (session.isOver) break
    ask()
  }
  lines.close()
  if (!session.isOver) say('')
  say(session.summary)
  return session.isWon
}

/** One game with its history. */
class Session {
  #state: GameState
  #past: GameState[] = []

  constructor(
    private readonly game: HouseholdGame,
    private readonly options: StartOptions,
  ) {
    this.#state = startGame(game, options)
  }

  get opening(): string {
    return openingText(this.#state)
  }
  get isOver(): boolean {
    return this.#state.done
  }
  get isWon(): boolean {
    return this.#state.won
  }
  get summary(): string {
    const { won, steps, done } = this.#state
    const count = `${steps} step${steps === 1 ? '' : 's'}`
    return won ? `Won in ${count}.` : done ? `Not won: all ${count} are used up.` : `Not won; ended after ${count}.`
  }

  /** Runs a command of the game or a helper, and returns what to show. */
  take(command: string): string {
    switch (command) {
      case ':admissible':
        return admissibleCommands(this.#state).join('\n')
      case ':distance':
        return this.#distance()
      case ':hint': {
        const { command: next, subgoal } = nextCommandKnowingAll(this.#state)
        return subgoal.kind === 'stuck' ? this.#distance() : next
      }
      case ':undo': {
        const before = this.#past.pop()
        if (!before) return 'There is nothing to undo.'
        this.#state = before
        return `Back at step ${before.steps}.`
      }
      case ':restart':
        this.#past = []
        this.#state = startGame(this.game, this.options)
        return this.opening
      case ':help':
        return Object.entries(HELPERS)
          .map(([name, text]) => `${name.padEnd(13)}${text}`)
          .join('\n')
    }
    if (command.startsWith(':')) return `${command} is unknown; the commands are ${Object.keys(HELPERS).join(', ')}.`
    this.#past.push(cloneState(this.#state))
    return step(this.#state, command).observation
  }

  completions(line: string): [string[], string] {
    const words = [...admissibleCommands(this.#state), ...Object.keys(HELPERS)]
    return [words.filter((word) => word.startsWith(line)), line]
  }

  #distance(): string {
    const distance = distanceToGoal(this.#state)
    if (distance === Infinity) return 'The goal can no longer be reached.'
    return `${distance} command${distance === 1 ? '' : 's'} to the goal.`
  }
}
