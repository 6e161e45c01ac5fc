/**
 * Removes the cluster's paths and secrets from every text that leaves it: those of the cluster file, and the gateway's own folders.
 * Logs of the release print both.
 */
import { ON_CLUSTER, type ConfigTree, type ConfigValue } from '../released/defaults.ts'
import { isTree } from '../released/mapping.ts'

/** Keys whose values are secrets or machine names. */
const SECRET_KEY = /key|secret|password|token|credential|subnet|group_id|image_id|host|proxy|address/i
/** Shorter values may be ordinary words of a log. */
const SHORTEST = 4

export class Redactor {
  readonly #pattern: RegExp | null

  constructor(secrets: Iterable<string>) {
    const texts = [...new Set([...secrets].flatMap(spellings))].filter((text) => text.length >= SHORTEST)
    texts.sort((one, other) => other.length - one.length)
    this.#pattern = texts.length === 0 ? null : new RegExp(texts.map(escaped).join('|'), 'g')
  }

  text(text: string): string {
    return this.#pattern === null ? text : text.replace(this.#pattern, ON_CLUSTER)
  }

  /** The same value with all its strings redacted. */
  value<Value>(value: Value): Value {
    if (this.#pattern === null) return value
    return this.#any(value) as Value
  }

  #any(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((entry) => this.#any(entry))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.#any(entry)]))
  }
}

/** Strings of a tree that are paths, or whose key marks a secret. */
export function secretsIn(tree: ConfigTree, isSecret = false): string[] {
  return Object.entries(tree).flatMap(([key, value]) => secretsOf(value, isSecret || SECRET_KEY.test(key)))
}

function secretsOf(value: ConfigValue, isSecret: boolean): string[] {
  if (isTree(value)) return secretsIn(value, isSecret)
  if (Array.isArray(value)) return (value as readonly ConfigValue[]).flatMap((entry) => secretsOf(entry, isSecret))
  return typeof value === 'string' && (isSecret || value.includes('/')) ? [value] : []
}

/** A path, also with dots for slashes: results files are named after the model that way (alfworld_rl_reward.py:72). */
function spellings(text: string): string[] {
  const bare = text.replace(/\/+$/, '')
  return bare.includes('/') ? [bare, bare.replaceAll('/', '.'), bare.replaceAll('/', '_').replace(/^_+/, '')] : [bare]
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
