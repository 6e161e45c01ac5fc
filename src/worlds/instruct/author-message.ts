/** What an author model reads about a task, in either world. */
import type { CriticWriter, Direction } from '../../method/ports.ts'
import type { ForeignText } from './foreign-text.ts'

interface AuthorInput {
  description: string
  direction: Direction
  /** Share of solved episodes, 0 to 1. */
  accuracy: number
  /** '' if there is no feedback. */
  criticSummary: string
  criticWriter?: CriticWriter
}

export function authorMessage(
  { description, direction, accuracy, criticSummary, criticWriter = 'counts' }: AuthorInput,
  foreign: ForeignText,
): string {
  const said = criticWriter === 'author' ? 'The critic, in summary' : 'The critic, with how often each was said'
  const critic = criticSummary === '' ? '' : `\n${said}: ${foreign(criticSummary)}`
  return (
    `Task:\n${foreign(description)}\n\n` +
    `The agent solves ${Math.round(accuracy * 100)} % of its attempts. Make the task ${direction}.${critic}`
  )
}
