/** What people are told when the world of a run cannot be opened on the page. */
import type { Settings } from '../method/settings.ts'
import { OpeningError, type RunFailure } from './loop-service.ts'

interface Request {
  settings: Settings
  isResumed: boolean
}

/** Of whatever was thrown while the setting was being opened. */
export function openingError({ settings, isResumed }: Request, cause: unknown): OpeningError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const name = cause instanceof Error ? cause.name : ''
  const words = settings.world === 'coding' ? codingWords(name, isResumed) : householdWords(name, isResumed)
  return new OpeningError({ ...words, why }, { cause })
}

const LATER = ', then reload the page and resume the run'

function householdWords(error: string, isResumed: boolean): Omit<RunFailure, 'why'> {
  const what = 'The household could not be opened.'
  if (error !== 'NoGamesError') {
    return { what, remedy: 'Reload the page and start the run again; generated rooms need no imported games.' }
  }
  const remedy =
    `Import them under Games${isResumed ? LATER : ', or choose generated rooms there'}. ` +
    'A run that is not evaluated (Evaluate every: 0) needs none of the valid folders.'
  return { what, remedy }
}

function codingWords(error: string, isResumed: boolean): Omit<RunFailure, 'why'> {
  const what = 'The coding problems could not be opened.'
  if (error !== 'NoProblemsError') {
    return { what, remedy: 'Reload the page and start the run again; generated problems need no import.' }
  }
  const remedy = isResumed
    ? `Import them under Problems${LATER}.`
    : 'Import a file of problems under Problems, or set Problems to generated.'
  return { what, remedy }
}
