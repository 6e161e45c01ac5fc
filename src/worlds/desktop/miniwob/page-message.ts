/** Reads what a page sends. Its scripts are not ours, so it may send anything. */
import * as v from 'valibot'
import type { PageMessage } from './protocol.ts'

const ELEMENT = v.object({
  mark: v.number(),
  ...{ tag: v.string(), text: v.string(), value: v.string(), name: v.string(), colour: v.string() },
  box: v.tuple([v.number(), v.number(), v.number(), v.number()]),
  isFocused: v.boolean(),
})
const VIEW = v.object({
  utterance: v.string(),
  elements: v.array(ELEMENT),
  ...{ isDone: v.boolean(), rawReward: v.number(), isAccepted: v.boolean() },
  error: v.nullable(v.string()),
})
const about = v.literal('miniwob')
const MESSAGE: v.GenericSchema<unknown, PageMessage> = v.union([
  v.strictObject({ about, left: v.literal(true) }),
  v.strictObject({ about, id: v.null() }),
  v.object({ about, id: v.number(), view: VIEW, problem: v.null() }),
  v.object({ about, id: v.number(), view: v.null(), problem: v.string() }),
])

/** Null for anything else. */
export function readMessage(data: unknown): PageMessage | null {
  const read = v.safeParse(MESSAGE, data)
  return read.success ? read.output : null
}
