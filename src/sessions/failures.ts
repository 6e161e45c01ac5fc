/** Explains failures of a run: what happened, why, and what to do. */
import { errorText } from '../threads/error-text.ts'
import { RemoteError } from '../engines/remote/remote-error.ts'
import { serversOf } from '../roles/source.ts'
import { modelsFolder } from '../worlds/own/models-folder.ts'
import type { RunFailure, StartRequest } from './messages.ts'

/** A run cannot be opened, and its models are not the reason. */
export class OpeningError extends Error {
  override readonly name = 'OpeningError'
  readonly failure: RunFailure

  constructor(failure: RunFailure, options?: ErrorOptions) {
    super(failure.why, options)
    this.failure = failure
  }
}

/** Whether an error carries the words for display: RoleModelError, ScreenTextError and the like. */
function isExplained(error: unknown): error is Pick<RunFailure, 'what' | 'why' | 'remedy'> {
  return error instanceof Error && 'what' in error && 'why' in error && 'remedy' in error
}

/** Explains why a run failed, in the error's own words if it has any. `isKept` if a store has a checkpoint of the run. */
export function failureOf(
  what: string,
  error: unknown,
  { models = {} }: StartRequest,
  { isKept }: { isKept: boolean } = { isKept: false },
): RunFailure {
  if (error instanceof RemoteError) {
    const refusing = serversOf(Object.values(models)).find((address) => new URL(address).origin === error.keyOrigin)
    return {
      what: error.what,
      why: error.why,
      remedy: error.remedy,
      ...(refusing !== undefined && { keyFor: refusing }),
    }
  }
  if (isExplained(error)) return { what: error.what, why: error.why, remedy: error.remedy }
  // Errors from another thread keep their name, not their class.
  if (error instanceof Error && error.name === 'OwnWorldError')
    return {
      what,
      why: errorText(error),
      remedy:
        'Correct the file of your world, drop it on the page again and start a new run.' +
        (isKept ? ' What this run did is kept up to its last checkpoint.' : ''),
    }
  return {
    what,
    why: errorText(error),
    remedy:
      'Start the run again. If it fails again, reload the page' +
      (isKept ? ', which offers to resume the run from its last checkpoint.' : '.'),
  }
}

/** Explains why the models of a kept run could not be loaded. Those of a world of one's own may have been removed since. */
export function resumeFailure(what: string, error: unknown, request: StartRequest): RunFailure {
  const failure = failureOf(what, error, request, { isKept: true })
  const { worldFile } = request
  if (worldFile === undefined) return failure
  return {
    ...failure,
    remedy:
      `A run resumes with the models that it began with. If you removed them, drop that version of ${modelsFolder(worldFile.file)} on ` +
      'this page, then reload the page, which offers to resume the run from its last checkpoint. If you no longer have them, press Run: ' +
      'another run starts with the models that the world has now.',
  }
}

export function keyMissing(address: string): RunFailure {
  return {
    what: 'The run cannot continue.',
    why: `One of its models is on ${address}, which requires a key, and keys are not kept.`,
    remedy: 'Enter the key again, here or under Models, to resume the run. Nothing of it is lost.',
    keyFor: address,
  }
}

export function inUseFailure(error: Error): RunFailure {
  return {
    what: 'The run was not resumed here.',
    why: error.message,
    remedy: 'After the other tab is closed, reload this page: it then offers to resume the run.',
  }
}

/** Another tab has deleted or continued the run that ran here. */
export function lostFailure(error: Error): RunFailure {
  return {
    what: 'The run ended here because it is no longer this tab’s.',
    why: error.message,
    remedy: 'Look under Runs for what is kept. Press Run to start another run.',
  }
}
