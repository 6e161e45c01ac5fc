/** Your gateways. Addresses are kept in this browser; tokens stay in memory unless you ask to keep them. */
import { readLocal, writeLocal } from '../../kit/local-text.ts'
import { freshId, parseKeptTokens, parseProfileBook, type ClusterProfile, type ClusterProfileBook } from './profiles.ts'

const PROFILES_KEY = 'playground.cluster'
const TOKENS_KEY = 'playground.cluster.tokens'

/** By profile id. */
type Tokens = Readonly<Record<string, string>>

/** An empty token removes the entry. */
function withToken(tokens: Tokens, id: string, token: string): Tokens {
  const others = Object.entries(tokens).filter(([key]) => key !== id)
  return Object.fromEntries(token === '' ? others : [...others, [id, token]])
}

export class ClusterProfiles {
  readonly #onleave: () => void
  #book = $state.raw<ClusterProfileBook>({ profiles: [], chosen: null })
  #tokens = $state.raw<Tokens>({})
  #kept = $state.raw<Tokens>({})

  /** `onleave` is called when another server is chosen: another profile, or another address for the same one. */
  constructor(onleave: () => void = () => {}) {
    this.#onleave = onleave
    this.#book = parseProfileBook(readLocal(PROFILES_KEY))
    this.#kept = parseKeptTokens(readLocal(TOKENS_KEY))
    this.#tokens = this.#kept
  }

  get all(): readonly ClusterProfile[] {
    return this.#book.profiles
  }
  get chosen(): ClusterProfile {
    return this.all.find(({ id }) => id === this.#book.chosen) ?? this.all[0]!
  }
  /** '' if there is none. */
  get token(): string {
    return this.#tokens[this.chosen.id] ?? ''
  }
  get isTokenKept(): boolean {
    return this.chosen.id in this.#kept
  }

  choose(id: string): void {
    this.#write({ ...this.#book, chosen: id })
  }

  add(): void {
    const id = freshId(this.all)
    this.#write({ profiles: [...this.all, { id, name: 'New gateway', address: 'https://' }], chosen: id })
  }

  /** Removes the chosen profile with its token; the last profile stays. */
  remove(): void {
    const { id } = this.chosen
    if (this.all.length === 1) return
    this.setToken('', false)
    this.#write({ profiles: this.all.filter((profile) => profile.id !== id), chosen: null })
  }

  change(fields: Partial<Omit<ClusterProfile, 'id'>>): void {
    const { id } = this.chosen
    const profiles = this.all.map((profile) => (profile.id === id ? { ...profile, ...fields } : profile))
    // A token belongs to one server.
    if (fields.address !== undefined && fields.address !== this.chosen.address) this.setToken('', false)
    this.#write({ profiles, chosen: id })
  }

  setToken(token: string, isKept: boolean): void {
    const { id } = this.chosen
    this.#tokens = withToken(this.#tokens, id, token)
    this.#kept = withToken(this.#kept, id, isKept ? token : '')
    writeLocal(TOKENS_KEY, Object.keys(this.#kept).length > 0 ? JSON.stringify(this.#kept) : null)
  }

  #write(book: ClusterProfileBook): void {
    const { id, address } = this.chosen
    this.#book = book
    if (id !== this.chosen.id || address !== this.chosen.address) this.#onleave()
    writeLocal(PROFILES_KEY, JSON.stringify(book))
  }
}
