/** What the page tells a person when the world of a run cannot be opened. */
import { WORLDS } from '../worlds/index.ts'
import type { WorldRequest } from '../worlds/world.ts'
import { OpeningError } from './failures.ts'
import { errorText } from '../threads/error-text.ts'

/** An error from another thread keeps its name, not its class. */
export function openingError({ settings, isResumed }: WorldRequest, cause: unknown): OpeningError {
  const why = errorText(cause)
  const name = cause instanceof Error ? cause.name : ''
  return new OpeningError({ ...WORLDS[settings.world].openingFailure(name, isResumed), why }, { cause })
}
