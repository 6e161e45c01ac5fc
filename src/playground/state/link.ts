/**
 * A configuration as the hash of an address, which reproduces the run:
 *
 *     #v1.<JSON, deflate-raw, base64url>&view=episodes&hide=tasks,policyTemperature&lesson=lambda&at=12/task/2/5&run=<id>
 *
 * The JSON contains the differences from the preset, and always the seed. The other fields are easy to write by hand: the
 * view (views.ts), what to hide, a lesson, a place in a run (spot.ts) and the kept run that contains it. They also work
 * without a configuration: `#episodes&at=12`, `#lesson=lambda`, `#loop&run=<id>`.
 *
 * With the view `start`, the place is a step of the first screen's episode, shown under the λ of the field `lambda`, or else
 * under the configuration's.
 */
import { parseSettings, presetSettings } from '../../method/presets.ts'
import { currentName, SettingsError, type Settings } from '../../method/settings.ts'
import type { BackendWish } from '../../sessions/loop-service.ts'
import { deflate, inflate } from '../../storage/deflate.ts'
import { DEFAULT_ITERATIONS, MOST_ITERATIONS, type Configuration } from '../run/configuration.ts'
import { readSpot, type Spot } from '../run/spot.ts'
import { toBase64 } from '../../storage/base64.ts'

export const SECTIONS = {
  world: 'Choice of the world',
  settings: 'Settings',
  loop: 'The loop',
  curves: 'Curves',
  trajectories: 'Episodes',
  tasks: 'Tasks',
  runs: 'Runs',
  results: 'Results',
  games: 'Games and problems',
  models: 'Models',
  cluster: 'Cluster',
  benchmark: 'Benchmark',
} as const
export type Section = keyof typeof SECTIONS
/** A part of the page, or the control of one setting. */
export type Hideable = Section | keyof Settings

export interface ReadLink {
  /** Null if the link has none and leaves the settings unchanged. */
  content: Configuration | null
  hidden: Hideable[]
  /** Names under `hide` that the page does not know. */
  unknown: string[]
  /** The step to show; null if the link does not name one. */
  spot: Spot | null
  /** The value of `at`, if it is not a place in a run. */
  unreadable: string | null
  /** λ that the first screen shows its episode under; null if the link names none, or no number from 0. */
  lambda: number | null
  /** Id of a kept run; null for the shipped run. */
  run: string | null
  /** Name of a lesson, which may not exist. */
  lesson: string | null
}

/** Fields of an address after its first part. */
const FIELDS = ['view', 'hide', 'lesson', 'at', 'lambda', 'run'] as const
export type Field = (typeof FIELDS)[number]

/** A link whose configuration cannot be read; the message says why and what to do. */
export class LinkError extends Error {
  override readonly name = 'LinkError'

  constructor(why: string, options?: ErrorOptions) {
    super(`${why} The page keeps its settings. Ask for the link again, or copy all of it.`, options)
  }
}

/** Characters and bytes: far more than all settings need, and few enough to unpack untrusted content. */
const LONGEST_CODE = 16_384
const LONGEST_JSON = 65_536

const BACKENDS: readonly BackendWish[] = ['auto', 'cpu', 'webgpu']

/** Splits a hash into its first part, which may be empty, and its fields. Several `hide` fields are joined. */
export function partsOf(hash: string): { head: string; fields: Partial<Record<Field, string>> } {
  const parts = hash.replace(/^#/, '').split('&')
  const head = parts[0]!.includes('=') ? '' : parts.shift()!
  const fields: Partial<Record<Field, string>> = {}
  for (const part of parts) {
    const name = part.slice(0, Math.max(0, part.indexOf('='))) as Field
    const value = part.slice(name.length + 1)
    if (name === 'hide' && fields.hide !== undefined) fields.hide += `,${value}`
    else if (FIELDS.includes(name)) fields[name] ??= value
  }
  return { head, fields }
}

/** Whether a hash is a link. */
export function isLink(hash: string): boolean {
  const { head, fields } = partsOf(hash)
  return (
    isConfiguration(head) || [fields.hide, fields.lesson, fields.at, fields.run].some((field) => field !== undefined)
  )
}

export function isConfiguration(head: string): boolean {
  return /^v\d+\./.test(head)
}

export async function writeLink(content: Configuration, hidden: readonly Hideable[] = []): Promise<string> {
  const base = presetSettings(content.preset)
  const names = Object.keys(content.settings) as (keyof Settings)[]
  const differing = names.filter((name) => name === 'seed' || content.settings[name] !== base[name])
  const json = {
    preset: content.preset,
    settings: Object.fromEntries(differing.map((name) => [name, content.settings[name]])),
    ...(content.backend !== 'auto' && { backend: content.backend }),
    ...(content.iterations !== DEFAULT_ITERATIONS && { iterations: content.iterations }),
  }
  const packed = await deflate(new TextEncoder().encode(JSON.stringify(json)))
  return `#v1.${toBase64Url(packed)}${hidden.length > 0 ? `&hide=${hidden.join(',')}` : ''}`
}

/** Throws LinkError. */
export async function readLink(hash: string): Promise<ReadLink> {
  const { head, fields } = partsOf(hash)
  const names = (fields.hide ?? '')
    .split(',')
    .map((name) => currentName(name.trim()))
    .filter((name) => name !== '')
  const spot = readSpot(fields.at ?? '')
  return {
    content: isConfiguration(head) ? await readContent(head) : null,
    hidden: names.filter(isHideable),
    unknown: names.filter((name) => !isHideable(name)),
    spot,
    unreadable: fields.at !== undefined && spot === null ? fields.at : null,
    lambda: readLambda(fields.lambda),
    run: fields.run === undefined || fields.run === '' ? null : unescaped(fields.run),
    lesson: fields.lesson ?? null,
  }
}

function readLambda(text = ''): number | null {
  const lambda = Number.parseFloat(text)
  return Number.isFinite(lambda) && lambda >= 0 ? lambda : null
}

/** Keeps badly escaped text: no run has such a name, which the page reports. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function readContent(code: string): Promise<Configuration> {
  const [, version, packed] = /^v(\d+)\.(.*)$/s.exec(code) ?? []
  if (version !== '1') {
    throw new LinkError(`The link is of version ${version ?? 'unknown'}; this page reads version 1.`)
  }
  if (packed!.length > LONGEST_CODE) throw new LinkError('The link is too long to be a configuration.')
  let json: unknown
  try {
    const bytes = await inflate(fromBase64Url(packed!), LONGEST_JSON)
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new LinkError('The configuration in the link is damaged or cut short.', { cause })
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new LinkError('The link contains no configuration.')
  }
  const { preset, settings, backend = 'auto', iterations = DEFAULT_ITERATIONS } = json as Record<string, unknown>
  if (typeof preset !== 'string') throw new LinkError('The link names no preset.')
  if (!BACKENDS.includes(backend as BackendWish)) {
    throw new LinkError(`The link asks for the backend ${JSON.stringify(backend)}; there are ${BACKENDS.join(', ')}.`)
  }
  if (!Number.isInteger(iterations) || (iterations as number) < 1 || (iterations as number) > MOST_ITERATIONS) {
    throw new LinkError(`The link asks for ${JSON.stringify(iterations)} iterations; they are a whole number from 1.`)
  }
  try {
    return {
      preset,
      settings: parseSettings(settings ?? {}, preset),
      backend: backend as BackendWish,
      iterations: iterations as number,
    }
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause
    throw new LinkError(`The link has invalid settings: ${cause.message}`, { cause })
  }
}

function isHideable(name: string): name is Hideable {
  return Object.hasOwn(SECTIONS, name) || Object.hasOwn(presetSettings(), name)
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Throws DOMException for other text than base64url. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
