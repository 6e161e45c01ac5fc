/** Gateways that this person connects to. Addresses are kept on this machine; tokens in memory, unless the person asks to keep one. */
import {
  freshId,
  parseKeptTokens,
  parseProfileBook,
  type ClusterProfile,
  type ClusterProfileBook,
} from './cluster-profiles.ts'

const PROFILES_KEY = 'playground.cluster'
const TOKENS_KEY = 'playground.cluster.tokens'

export type ProfileStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** By profile. */
type Tokens = Readonly<Record<string, string>>

/** '' takes it away. */
function withToken(tokens: Tokens, id: string, token: string): Tokens {
  const others = Object.entries(tokens).filter(([key]) => key !== id)
  return Object.fromEntries(token === '' ? others : [...others, [id, token]])
}

export class ClusterProfiles {
  readonly #storage: ProfileStorage
  #book = $state.raw<ClusterProfileBook>({ profiles: [], chosen: null })
  #tokens = $state.raw<Tokens>({})
  #kept = $state.raw<Tokens>({})

  constructor(storage: ProfileStorage) {
    this.#storage = storage
    this.#book = parseProfileBook(this.#read(PROFILES_KEY))
    this.#kept = parseKeptTokens(this.#read(TOKENS_KEY))
    this.#tokens = this.#kept
  }

  get all(): readonly ClusterProfile[] {
    return this.#book.profiles
  }
  get chosen(): ClusterProfile {
    return this.all.find(({ id }) => id === this.#book.chosen) ?? this.all[0]!
  }
  /** '' where there is none. */
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

  /** Its token goes with it. The last one stays. */
  remove(): void {
    const { id } = this.chosen
    if (this.all.length === 1) return
    this.setToken('', false)
    this.#write({ profiles: this.all.filter((profile) => profile.id !== id), chosen: null })
  }

  change(fields: Partial<Omit<ClusterProfile, 'id'>>): void {
    const { id } = this.chosen
    const profiles = this.all.map((profile) => (profile.id === id ? { ...profile, ...fields } : profile))
    // The token belongs to the server that it was given for.
    if (fields.address !== undefined && fields.address !== this.chosen.address) this.setToken('', false)
    this.#write({ profiles, chosen: id })
  }

  setToken(token: string, isKept: boolean): void {
    const { id } = this.chosen
    this.#tokens = withToken(this.#tokens, id, token)
    this.#kept = withToken(this.#kept, id, isKept ? token : '')
    this.#store(TOKENS_KEY, Object.keys(this.#kept).length > 0 ? JSON.stringify(this.#kept) : null)
  }

  #write(book: ClusterProfileBook): void {
    this.#book = book
    this.#store(PROFILES_KEY, JSON.stringify(book))
  }

  /** A browser that keeps nothing (private mode, storage full) only forgets. */
  #store(key: string, value: string | null): void {
    try {
      if (value === null) this.#storage.removeItem(key)
      else this.#storage.setItem(key, value)
    } catch {
      return
    }
  }

  #read(key: string): string | null {
    try {
      return this.#storage.getItem(key)
    } catch {
      return null
    }
  }
}
