/**
 * What the file of a world exports by default (docs/own-worlds.md). Functions are pure: the sandbox starts every call from a fresh
 * copy of the file, so what a function keeps in a variable is gone at the next call. Tasks and states are plain data, as
 * JSON has it, and every call gets copies: a function may change what it is given and return it.
 */
export interface OwnWorld<Task = unknown, State = unknown> {
  /** At most 60 characters: "Key and chest". */
  name: string
  /** The rules and the commands, for chat models. At most 2,000 characters. */
  rules: string

  /** Draws a task. The same draws of `random` give the same task; `id` and `ood` are held out, so `train` must not draw their tasks. */
  task(split: 'train' | 'id' | 'ood', random: Random): Task
  /** Starts an episode. `text` is the first that the agent reads, with what it has to do. At most 4,000 characters. */
  reset(task: Task): { state: State; text: string }
  /** Obeys a command, which may be any text. `text` answers it; an unknown command must not throw. */
  step(state: State, command: string): { state: State; text: string }
  /** Whether the episode is over. It also ends at the run's step limit, and is then lost. */
  outcome(state: State): 'won' | 'lost' | 'open'

  /** The best command, as a demonstration: "go north", or with the reason for it in a word or two, without a colon. */
  expert?(state: State): string | { thought: string; command: string }
  /** Commands to the goal, or null if it cannot be reached. Without it, the commands that the expert needs. */
  distance?(state: State): number | null
  /** Whether a step was good. Without it, a good step brings the goal closer. */
  label?(before: State, command: string, after: State): 1 | -1
  /** Why a step was good or bad, in a few words from a short list: the small reward model learns to write them. */
  reason?(before: State, command: string, after: State, label: 1 | -1): string
  /** The task in one line, for display. Without it, the first text. */
  instruction?(task: Task): string
  /** The family of the task. */
  kind?(task: Task): string

  /** What the author of tasks reads. Without it, the first text. */
  describe?(task: Task): string
  /** Changes of the task in one direction, each one line of text; the author reads the first eight. */
  rewrites?(task: Task, direction: 'harder' | 'easier'): string[]
  /** The changed task; null if the text is not a change that this task allows. It must not turn a task of `train` into a held-out one. */
  rewrite?(task: Task, text: string): Task | null

  /** The state as lines of characters, drawn with fixed width. */
  picture?(state: State): string
}

/** Draws from a seed. */
export interface Random {
  /** In [0, 1). */
  (): number
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number
  pick<Item>(list: readonly Item[]): Item
  /** A shuffled copy. */
  shuffle<Item>(list: readonly Item[]): Item[]
}
