/**
 * The wire format of servers with Tinker's interface: Thinking Machines' own and SkyRL's. Every operation is a request that
 * returns a future at once, and polling of that future. Schemas name only the fields that are read.
 */
import * as v from 'valibot'

const Id = v.pipe(v.union([v.string(), v.number()]), v.transform(String))
const Count = v.pipe(v.number(), v.integer(), v.minValue(0))
/** JSON has no NaN or infinities. Python may write them anyway, as invalid JSON or null. */
const Numbers = v.object({ data: v.array(v.number()) })

export const Capabilities = v.object({
  supported_models: v.array(v.object({ model_name: v.nullish(v.string()), max_context_length: v.nullish(Count) })),
})
/** FastAPI's description, which SkyRL's server provides. */
export const OpenApi = v.object({
  info: v.object({ title: v.string() }),
  components: v.object({
    schemas: v.record(v.string(), v.object({ properties: v.nullish(v.record(v.string(), v.unknown())) })),
  }),
})
export const Session = v.object({ session_id: Id })
export const Anything = v.unknown()
export const Promised = v.object({ request_id: Id, model_id: v.nullish(Id) })

/** The future is pending. */
export const TryAgain = v.object({ type: v.literal('try_again') })
/** The future has failed. */
export const Failed = v.object({ error: v.string() })

export const CreatedModel = v.object({ model_id: v.nullish(Id) })
export const SavedWeights = v.object({ path: v.pipe(v.string(), v.startsWith('tinker://')) })
export const Sampled = v.object({
  sequences: v.pipe(
    v.array(v.object({ tokens: v.array(Count), logprobs: v.nullish(v.array(v.number())), stop_reason: v.string() })),
    v.minLength(1),
  ),
})
export const PassOutput = v.object({ loss_fn_outputs: v.array(v.object({ logprobs: Numbers })) })
export const OptimOutput = v.object({ metrics: v.nullish(v.record(v.string(), v.number())) })

export const modelInput = (tokens: Iterable<number>) => ({ chunks: [{ type: 'encoded_text', tokens: [...tokens] }] })
export const integers = (data: readonly number[]) => ({ data, dtype: 'int64', shape: [data.length] })
export const floats = (data: readonly number[]) => ({ data, dtype: 'float32', shape: [data.length] })
