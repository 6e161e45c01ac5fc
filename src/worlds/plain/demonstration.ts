/** An episode as a demonstrator or a policy played it, with what a critic needs to know about each step. */

/** What the policy writes in one step. */
export interface Move {
  thought: string
  command: string
}

/** `Facts` are the basis of a critique. */
export interface DemonstratedStep<Facts> extends Move {
  observation: string
  trueLabel: 1 | -1
  facts: Facts
  /** Whether it is a mistake that the demonstrator makes on purpose, where that is known. */
  isSlip?: boolean
}

export interface Demonstration<Facts> {
  opening: string
  steps: DemonstratedStep<Facts>[]
  won: boolean
}
