/** What an author model reads about a task, in either world. */
import type { Direction } from '../../method/ports.ts'
import type { ForeignText } from './foreign-text.ts'

interface AuthorInput {
  description: string
  direction: Direction
  /** Share of solved episodes, 0 to 1. */
  accuracy: number
  /** '' if there is no feedback. */
  criticSummary: string
}

export function authorMessage(
  { description, direction, accuracy, criticSummary }: AuthorInput,
  foreign: ForeignText,
): string {
  const critic = criticSummary === '' ? '' : `\nThe critic, with how often each was said: ${foreign(criticSummary)}`
  return (
    `Task:\n${foreign(description)}\n\n` +
    `The agent solves ${Math.round(accuracy * 100)} % of its attempts. Make the task ${direction}.${critic}`
  )
}
