/**
 * Validates the household server's requests (docs/household-protocol.md). A request is an object with a `method`; unknown fields are
 * refused, so that a misspelt one does not silently become a default.
 */
import * as v from 'valibot'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import { DIALECTS, LARGEST_SEED, MOST_STEPS } from './arguments.ts'
import { SCENES, SPLITS } from './games.ts'

const wholeNumber = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high))
const flag = v.optional(v.boolean())

/** Echoed in the answer. */
const id = v.optional(v.union([v.string(), v.number(), v.null()]))
const inEpisode = { id, episode: v.optional(v.string(), 'default') }
const filter = {
  split: v.optional(v.picklist(SPLITS)),
  scene: v.optional(v.picklist(SCENES)),
  task: v.optional(v.picklist(taskTypes)),
}

const requestSchemas = {
  reset: v.strictObject({
    method: v.literal('reset'),
    ...inEpisode,
    ...filter,
    game: v.optional(v.string()),
    seed: v.optional(wholeNumber(0, LARGEST_SEED)),
    dialect: v.optional(v.picklist(DIALECTS)),
    explain: flag,
    steps: v.optional(wholeNumber(1, MOST_STEPS)),
    admissible: flag,
  }),
  step: v.strictObject({ method: v.literal('step'), ...inEpisode, command: v.string(), admissible: flag }),
  admissible: v.strictObject({ method: v.literal('admissible'), ...inEpisode }),
  won: v.strictObject({ method: v.literal('won'), ...inEpisode }),
  state: v.strictObject({ method: v.literal('state'), ...inEpisode, distance: flag, best: flag, expert: flag }),
  games: v.strictObject({
    method: v.literal('games'),
    id,
    ...filter,
    first: v.optional(wholeNumber(0, LARGEST_SEED)),
    count: v.optional(wholeNumber(0, 100_000)),
  }),
  close: v.strictObject({ method: v.literal('close'), ...inEpisode }),
}

export const METHODS = Object.keys(requestSchemas) as (keyof typeof requestSchemas)[]
type Requests = { [Method in keyof typeof requestSchemas]: v.InferOutput<(typeof requestSchemas)[Method]> }
export type Request = Requests[keyof Requests]
export type ResetRequest = Requests['reset']
export type GamesRequest = Requests['games']
export type StateRequest = Requests['state']

export type ErrorCode =
  | 'bad-json'
  | 'line-too-long'
  | 'unknown-method'
  | 'bad-request'
  | 'no-episode'
  | 'no-game'
  | 'internal'

/** An invalid request; the server answers it and continues. */
export class RequestError extends Error {
  override readonly name = 'RequestError'

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly id: RequestId = null,
  ) {
    super(message)
  }
}

export type RequestId = string | number | null | undefined

/** Most characters of a request; longer lines are refused and not kept in memory. */
export const LONGEST_LINE = 1 << 20

/** Parses one line. Throws RequestError. */
export function parseRequest(line: string): Request {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (error) {
    throw new RequestError('bad-json', `This line is not JSON: ${(error as Error).message}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new RequestError('bad-request', 'A request is a JSON object with a "method".')
  }
  const { method, id: given } = json as Record<string, unknown>
  const known = METHODS.find((name) => name === method)
  const parsed = known === undefined ? null : v.safeParse(requestSchemas[known], json)
  if (parsed?.success) return parsed.output
  const echoed = typeof given === 'string' || typeof given === 'number' ? given : null
  if (parsed === null) {
    const said = typeof method === 'string' ? `There is no method "${method.slice(0, 80)}"` : 'There is no "method"'
    throw new RequestError('unknown-method', `${said}; the methods are ${METHODS.join(', ')}.`, echoed)
  }
  throw new RequestError('bad-request', complaintOf(known!, parsed.issues[0]), echoed)
}

function complaintOf(method: keyof Requests, issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue) ?? ''
  if (issue.type !== 'strict_object') {
    // Valibot has no words for this one.
    const expected = issue.type === 'integer' ? 'a whole number' : issue.expected
    return `"${field}" must be ${expected}, not ${issue.received}.`
  }
  if (issue.expected !== 'never') return `${method} needs a field "${field}".`
  return `${method} has no field "${field}"; it has ${Object.keys(requestSchemas[method].entries).join(', ')}.`
}
