/**
 * The protocol: a session that is kept alive, operations, and their futures. Changing operations execute at most once: a request
 * with unknown outcome is not retried (RemoteError 'unknown-outcome'), and one that the server has deleted is 'not-found'.
 */
import * as v from 'valibot'
import { wait } from '../remote/backoff.ts'
import { HttpClient, type HttpClientOptions } from '../remote/http-client.ts'
import { isRemoteError, RemoteError } from '../remote/remote-error.ts'
import { Anything, Capabilities, Failed, OpenApi, Promised, Session, TryAgain } from './wire.ts'

export interface TinkerClientOptions {
  baseUrl: string
  key: string | null
  /**
   * How long the server may finish nothing while an operation is pending. A server works on a queue, so the time of one operation
   * depends on how many were sent.
   */
  timeoutMs: number
  http?: Partial<HttpClientOptions>
}

/** How a server combines the losses of examples. */
export type LossReduction =
  /** Σ over all tokens, as Tinker does. */
  | 'sum'
  /** Mean over examples of the mean over all tokens including prompts, as SkyRL's JAX backend does. */
  | 'mean-of-examples'

export interface ServerTraits {
  reduction: LossReduction
  clipsGradients: boolean
  /** By model; null if the server does not report them. */
  models: ReadonlyMap<string, number | null>
}

/** The server holds futures open, so each may be a waiting request. */
const CONCURRENCY = 256
const POLL_MS = 45_000
const AGAIN_MS = 500
const HEARTBEAT_MS = 10_000
const PROBE_PATIENCE_MS = 5_000
const SKYRL_TITLE = /tinker api mock|skyrl/i

/** When each server last finished an operation, by origin: the models of several roles may share its queue. */
const finishedAt = new Map<string, number>()

export class TinkerClient {
  readonly #client: HttpClient
  readonly #timeoutMs: number
  #heart: ReturnType<typeof setInterval> | null = null
  #sequence = 0

  constructor({ baseUrl, key, timeoutMs, http }: TinkerClientOptions) {
    this.#timeoutMs = timeoutMs
    this.#client = new HttpClient({
      baseUrl,
      headers: key === null ? {} : { 'X-API-Key': key },
      concurrency: CONCURRENCY,
      timeoutMs: Math.min(POLL_MS, timeoutMs),
      ...http,
    })
  }

  get address(): string {
    return this.#client.address
  }

  async traits(): Promise<ServerTraits> {
    const { supported_models: models } = await this.#client.json({
      path: '/api/v1/get_server_capabilities',
      schema: Capabilities,
      patienceMs: PROBE_PATIENCE_MS,
    })
    const openApi = await this.#openApi()
    const isSkyRl = openApi !== null && SKYRL_TITLE.test(openApi.info.title)
    const adam = openApi?.components.schemas['AdamParams']?.properties
    return {
      reduction: isSkyRl ? 'mean-of-examples' : 'sum',
      clipsGradients: !adam || 'grad_clip_norm' in adam,
      models: new Map(
        models.flatMap((one) => (one.model_name ? [[one.model_name, one.max_context_length ?? null]] : [])),
      ),
    }
  }

  /** Replaces the current session. */
  async openSession(): Promise<string> {
    this.#stopHeart()
    const { session_id: session } = await this.#client.json({
      path: '/api/v1/create_session',
      body: { type: 'create_session', tags: ['rlanything-playground'], user_metadata: null, sdk_version: '0.3.0' },
      schema: Session,
    })
    // The server deletes a session with its models after minutes without a heartbeat. A single missed one does no harm, but behind a
    // long queue all would be missed.
    this.#heart = setInterval(() => {
      this.#client
        .json({
          path: '/api/v1/session_heartbeat',
          body: { session_id: session },
          schema: Anything,
          patienceMs: 0,
          skipsQueue: true,
        })
        .catch(() => undefined)
    }, HEARTBEAT_MS)
    ;(this.#heart as { unref?: () => void }).unref?.()
    return session
  }

  /** An operation that changes something: executed once. */
  train<Schema extends v.GenericSchema>(path: string, body: object, schema: Schema, signal?: AbortSignal) {
    return this.#operation(path, body, schema, true, signal)
  }

  /** An operation that may be retried. */
  sample<Schema extends v.GenericSchema>(path: string, body: object, schema: Schema, signal?: AbortSignal) {
    return this.#operation(path, body, schema, false, signal)
  }

  close(): void {
    this.#stopHeart()
    this.#client.close()
  }

  async #operation<Schema extends v.GenericSchema>(
    path: string,
    body: object,
    schema: Schema,
    once: boolean,
    signal?: AbortSignal,
  ): Promise<{ output: v.InferOutput<Schema>; modelId: string | null }> {
    const promised = await this.#client.json({
      path: `/api/v1/${path}`,
      body: { ...body, seq_id: ++this.#sequence },
      schema: Promised,
      once,
      signal,
    })
    const output = await this.#future(path, promised.request_id, signal)
    const read = v.safeParse(schema, output)
    if (!read.success)
      throw new RemoteError('malformed', {
        what: `${this.address} answered ${path} with something that cannot be read.`,
        why: `${v.getDotPath(read.issues[0]) ?? 'The answer'}: ${read.issues[0].message}.`,
        remedy: 'Check that the server’s version has the Tinker interface of SkyRL 0.3.',
      })
    return { output: read.output, modelId: promised.model_id ?? null }
  }

  async #future(operation: string, requestId: string, signal?: AbortSignal): Promise<unknown> {
    const { origin } = new URL(this.address)
    const began = performance.now()
    while (performance.now() - Math.max(began, finishedAt.get(origin) ?? 0) < this.#timeoutMs) {
      let output: unknown
      try {
        output = await this.#client.json({
          path: '/api/v1/retrieve_future',
          body: { request_id: requestId },
          schema: Anything,
          signal,
        })
      } catch (error) {
        // The future is still pending.
        if (isRemoteError(error, 'timeout') || (error instanceof RemoteError && error.status === 408)) continue
        if (!(error instanceof RemoteError) || error.status !== 400) throw error
        finishedAt.set(origin, performance.now())
        throw this.#failed(operation, error.detail, error)
      }
      if (!v.is(TryAgain, output)) {
        finishedAt.set(origin, performance.now())
        const failed = v.safeParse(Failed, output)
        if (failed.success) throw this.#failed(operation, failed.output.error)
        return output
      }
      await wait(AGAIN_MS, signal)
    }
    throw new RemoteError('timeout', {
      what: `${this.address} has finished nothing for ${Math.round(this.#timeoutMs / 1000)} s, and ${operation} is pending.`,
      why: 'The server is slow, overloaded or stuck.',
      remedy: 'Allow more time, lower the group size, or check the server’s log.',
    })
  }

  #failed(operation: string, detail: string, cause?: unknown): RemoteError {
    const isForgotten = /not (found|loaded|exist)|unknown model|no such model/i.test(detail)
    return new RemoteError(
      isForgotten ? 'not-found' : 'refused',
      {
        what: `${this.address} could not carry out ${operation}.`,
        why: `It says: ${detail}.`,
        remedy: isForgotten
          ? 'Resume from the last iteration: the model is recreated from its last checkpoint.'
          : 'Check the server’s log, rank, base model and settings.',
      },
      { cause, detail },
    )
  }

  async #openApi() {
    try {
      return await this.#client.json({ path: '/openapi.json', schema: OpenApi, patienceMs: 0 })
    } catch (error) {
      if (isRemoteError(error)) return null
      throw error
    }
  }

  #stopHeart(): void {
    if (this.#heart !== null) clearInterval(this.#heart)
    this.#heart = null
  }
}
