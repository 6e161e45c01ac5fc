/** Names of the backends and what can go wrong with them; the messages say what to do. */

export const BACKENDS = ['cpu', 'webgpu'] as const
export type BackendName = (typeof BACKENDS)[number]

/** A backend cannot run here: `backend` says which, the cause why, the message what to do. */
export class BackendUnavailableError extends Error {
  override name = 'BackendUnavailableError'
  readonly backend: BackendName

  constructor(backend: BackendName, message: string, options?: ErrorOptions) {
    super(message, options)
    this.backend = backend
  }
}

/** A model's tensor exceeds the device's limit for one tensor; the message says what to do. */
export class ModelTooLargeError extends Error {
  override name = 'ModelTooLargeError'
}
