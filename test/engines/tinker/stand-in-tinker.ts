/**
 * A server with the routes of SkyRL's, whose model is one number: θ, the log-probability of every token. A step adds
 * learning rate · Σ advantages, so that θ shows which operations were executed, and how often.
 */
import { standInServer, type Answer, type Asked, type StandInServer } from '../remote/stand-in-server.ts'

interface Model {
  theta: number
  gradient: number
}

interface Datum {
  loss_fn_inputs: Record<'target_tokens' | 'advantages' | 'logprobs', { data: number[] }>
}

export interface TinkerBody {
  request_id?: string
  session_id?: string
  model_id?: string
  base_model?: string
  path?: string
  model_path?: string
  prompt?: { chunks: { tokens: number[] }[] }
  sampling_params?: { max_tokens: number; seed: number; stop: number[]; temperature: number; top_p: number }
  forward_input?: { data: Datum[]; loss_fn: string }
  forward_backward_input?: { data: Datum[]; loss_fn: string; loss_fn_config?: Record<string, number> }
  adam_params?: Record<string, number>
}

export interface TinkerStandIn {
  server: StandInServer<TinkerBody>
  models: Map<string, Model>
  saved: Map<string, number>
  /** Context length that the server reports; null for none. */
  contextTokens: number | null
  /** Deletes sessions and models like a restarted server, but keeps saved weights. */
  restart(): void
  /** Operations in order, without futures and sessions. */
  operations(): string[]
  /** A fault instead of, or after, an operation. */
  fault: ((asked: Asked<TinkerBody>, done: () => Answer) => Answer | null) | null
}

export async function standInTinker(key: string | null = null, port = 0): Promise<TinkerStandIn> {
  const models = new Map<string, Model>()
  const saved = new Map<string, number>()
  const futures = new Map<string, unknown>()
  const asks = new Map<string, number>()
  let made = 0

  function act(asked: Asked<TinkerBody>): unknown {
    const { body, path } = asked
    const operation = path.replace('/api/v1/', '')
    if (operation === 'create_model') {
      const model_id = `model_${made++}`
      models.set(model_id, { theta: -2, gradient: 0 })
      return { model_id }
    }
    if (operation === 'asample') {
      const theta = saved.get(body.model_path ?? '')
      if (theta === undefined || !models.has(/tinker:\/\/([^/]*)/.exec(body.model_path!)![1]!))
        return { error: 'Model not loaded' }
      const { seed, stop } = body.sampling_params!
      const tokens = [65 + (seed % 26), ...stop.slice(-1)]
      return { sequences: [{ tokens, logprobs: tokens.map(() => theta), stop_reason: 'stop' }] }
    }
    const model = models.get(body.model_id ?? '')
    if (!model) return { error: `Model ${body.model_id} not found` }
    switch (operation) {
      case 'forward':
      case 'forward_backward': {
        const { data } = (body.forward_input ?? body.forward_backward_input)!
        if (operation === 'forward_backward')
          for (const { loss_fn_inputs: inputs } of data)
            model.gradient += inputs.advantages.data.reduce((sum, one) => sum + one, 0)
        return {
          loss_fn_outputs: data.map(({ loss_fn_inputs: inputs }) => ({
            logprobs: { data: inputs.target_tokens.data.map(() => model.theta) },
          })),
        }
      }
      case 'optim_step':
        model.theta += body.adam_params!['learning_rate']! * model.gradient
        model.gradient = 0
        return { metrics: { 'skyrl.ai/grad_norm': 0.5 } }
      case 'save_weights':
      case 'save_weights_for_sampler': {
        const kind = operation === 'save_weights' ? 'weights' : 'sampler_weights'
        const at = `tinker://${body.model_id}/${kind}/${body.path}`
        saved.set(at, model.theta)
        return { path: at }
      }
      case 'load_weights':
        if (!saved.has(body.path!)) return { error: `Checkpoint not found: ${body.path}` }
        model.theta = saved.get(body.path!)!
        return { type: 'load_weights' }
    }
    throw new Error(`unexpected ${operation}`)
  }

  const standIn: Omit<TinkerStandIn, 'server'> = {
    models,
    saved,
    contextTokens: null,
    fault: null,
    restart() {
      models.clear()
      futures.clear()
    },
    operations: () =>
      server.asked
        .map(({ path }) => path.replace('/api/v1/', ''))
        .filter((path) => !/future|session|capabilities|openapi/.test(path)),
  }
  const server = await standInServer<TinkerBody>((asked, index) => {
    if (key !== null && asked.headers['x-api-key'] !== key) return { status: 401, json: { detail: 'Invalid API key' } }
    switch (asked.path) {
      case '/api/v1/get_server_capabilities':
        return { json: { supported_models: [{ model_name: 'tiny', max_context_length: standIn.contextTokens }] } }
      case '/openapi.json':
        return {
          json: { info: { title: 'Tinker API Mock' }, components: { schemas: { AdamParams: { properties: {} } } } },
        }
      case '/api/v1/create_session':
        return { json: { session_id: 'session_1' } }
      case '/api/v1/session_heartbeat':
        return { json: {} }
      case '/api/v1/retrieve_future': {
        const id = asked.body.request_id!
        if (!futures.has(id)) return { status: 404, json: { detail: 'Future not found' } }
        // Pending, in both forms that servers use.
        const times = (asks.get(id) ?? 0) + 1
        asks.set(id, times)
        if (times === 1 && Number(id) % 19 === 7) return { status: 408, json: { detail: 'Timeout waiting for result' } }
        if (times === 1 && Number(id) % 19 === 9)
          return { json: { type: 'try_again', request_id: id, queue_state: 'active' } }
        const output = futures.get(id) as { error?: string }
        return output.error === undefined ? { json: output } : { status: 400, json: { detail: output.error } }
      }
    }
    const done = (): Answer => {
      futures.set(String(index), act(asked))
      return { json: { request_id: String(index), future_id: String(index), status: 'pending' } }
    }
    return standIn.fault?.(asked, done) ?? done()
  }, port)
  return Object.assign(standIn, { server })
}
