/** Names of the backends and what can go wrong with them; the messages say what to do. */

export const BACKENDS = ['cpu', 'webgpu'] as const
export type BackendName = (typeof BACKENDS)[number]

/** A backend cannot run here; `backend` says which, the message what to do, the cause why. */
export class BackendUnavailableError extends Error {
  override name = 'BackendUnavailableError'
  readonly backend: BackendName

  constructor(backend: BackendName, message: string, options?: ErrorOptions) {
    super(message, options)
    this.backend = backend
  }
}

/** A tensor of a model is larger than what the device takes as one; the message says what to do. */
export class ModelTooLargeError extends Error {
  override name = 'ModelTooLargeError'
}
