/** A role's model cannot be used as requested. */
import type { Role } from '../method/ports.ts'

export class RoleModelError extends Error {
  override readonly name = 'RoleModelError'
  readonly role: Role
  /** For display, each a sentence or more. */
  readonly what: string
  readonly why: string
  readonly remedy: string

  constructor(role: Role, words: { what: string; why: string; remedy: string }) {
    super(`${words.what} ${words.why} ${words.remedy}`)
    this.role = role
    this.what = words.what
    this.why = words.why
    this.remedy = words.remedy
  }
}
