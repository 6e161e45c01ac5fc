/** A role cannot be played as it was asked for; said before anything is loaded, or in place of a model that was. */
import type { Role } from '../method/ports.ts'

export class RoleModelError extends Error {
  override readonly name = 'RoleModelError'
  readonly role: Role
  /** What people are told, each a sentence or more. */
  readonly what: string
  readonly why: string
  readonly remedy: string

  constructor(role: Role, words: { what: string; why: string; remedy: string }, options?: ErrorOptions) {
    super(`${words.what} ${words.why} ${words.remedy}`, options)
    this.role = role
    this.what = words.what
    this.why = words.why
    this.remedy = words.remedy
  }
}
