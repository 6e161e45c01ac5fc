/**
 * A configuration as the end of an address, so that whoever opens it gets the same run:
 *
 *     #v1.<JSON, deflate-raw, base64url>&hide=tasks,policyTemperature
 *
 * The JSON holds what differs from the preset, and always the seed. What to hide stands outside of it, because a teacher
 * writes it by hand.
 */
import { parseSettings, presetSettings, SettingsError, type Settings } from '../method/settings.ts'
import type { BackendWish } from '../runs/loop-service.ts'

export const SECTIONS = {
  world: 'Choice of the world',
  settings: 'Settings',
  loop: 'The loop',
  curves: 'Curves',
  trajectories: 'Trajectories',
  tasks: 'Tasks',
  runs: 'Runs',
  games: 'Games and problems',
} as const
export type Section = keyof typeof SECTIONS
/** A part of the page, or the control of one setting. */
export type Hideable = Section | keyof Settings

export interface LinkContent {
  preset: string
  /** Whole and valid. */
  settings: Settings
  backend: BackendWish
  iterations: number
}

export interface ReadLink {
  /** Null where the link only hides. */
  content: LinkContent | null
  hidden: Hideable[]
  /** Names under `hide` that nothing on the page has. */
  unknown: string[]
}

export const DEFAULT_ITERATIONS = 1000
export const MOST_ITERATIONS = 1_000_000

/** A link whose configuration cannot be read; the message says why and what holds instead. */
export class LinkError extends Error {
  override readonly name = 'LinkError'

  constructor(why: string, options?: ErrorOptions) {
    super(`${why} The page goes on with the settings that it had. Ask for the link again, or copy it whole.`, options)
  }
}

/** Characters and bytes: far more than all settings take, and little enough to unpack whatever they hold. */
const LONGEST_CODE = 16_384
const LONGEST_JSON = 65_536

const BACKENDS: readonly BackendWish[] = ['auto', 'cpu', 'webgpu']

/** Whether the end of an address is for this module at all. */
export function isLink(hash: string): boolean {
  return /^#(v\d+\.|hide=)/.test(hash)
}

export async function writeLink(content: LinkContent, hidden: readonly Hideable[] = []): Promise<string> {
  const base = presetSettings(content.preset)
  const names = Object.keys(content.settings) as (keyof Settings)[]
  const differing = names.filter((name) => name === 'seed' || content.settings[name] !== base[name])
  const json = {
    preset: content.preset,
    settings: Object.fromEntries(differing.map((name) => [name, content.settings[name]])),
    ...(content.backend !== 'auto' && { backend: content.backend }),
    ...(content.iterations !== DEFAULT_ITERATIONS && { iterations: content.iterations }),
  }
  const packed = await throughStream(
    new TextEncoder().encode(JSON.stringify(json)),
    new CompressionStream('deflate-raw'),
  )
  return `#v1.${toBase64Url(packed)}${hidden.length > 0 ? `&hide=${hidden.join(',')}` : ''}`
}

/** Throws LinkError. */
export async function readLink(hash: string): Promise<ReadLink> {
  const [first = '', ...rest] = hash.replace(/^#/, '').split('&')
  const parts = first.startsWith('hide=') ? [first, ...rest] : rest
  const names = parts
    .filter((part) => part.startsWith('hide='))
    .flatMap((part) => part.slice('hide='.length).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return {
    content: first.startsWith('hide=') ? null : await readContent(first),
    hidden: names.filter(isHideable),
    unknown: names.filter((name) => !isHideable(name)),
  }
}

async function readContent(code: string): Promise<LinkContent> {
  const [, version, packed] = /^v(\d+)\.(.*)$/s.exec(code) ?? []
  if (version !== '1') {
    throw new LinkError(`The link is of version ${version ?? 'unknown'}; this page reads version 1.`)
  }
  if (packed!.length > LONGEST_CODE) throw new LinkError('The link is longer than any configuration.')
  let json: unknown
  try {
    const bytes = await throughStream(fromBase64Url(packed!), new DecompressionStream('deflate-raw'), LONGEST_JSON)
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new LinkError('The configuration in the link is damaged or cut short.', { cause })
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new LinkError('The link holds no configuration.')
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
    throw new LinkError(`The link asks for what cannot be: ${cause.message}`, { cause })
  }
}

function isHideable(name: string): name is Hideable {
  return Object.hasOwn(SECTIONS, name) || Object.hasOwn(presetSettings(), name)
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** Throws DOMException for what is not base64url. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}

/** Throws RangeError for more than `limit` bytes, and TypeError for what cannot be unpacked. */
async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  limit = Infinity,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > limit) {
      await reader.cancel()
      throw new RangeError(`More than ${limit} bytes.`)
    }
    chunks.push(next.value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
