/** Who plays the roles of the next run. The forms are kept on this machine; keys stay in memory. */
import { keyFor, serverAddress, type RoleSource, type ServerKeys, type ModelRecord } from '../../roles/source.ts'
import {
  parseForms,
  ROLE_NAMES,
  sourceOf,
  webLlmRecord,
  type FormResult,
  type Role,
  type RoleForm,
} from '../run/role-models.ts'
import { readLocal, writeLocal } from '../kit/local-text.ts'

const KEY = 'playground.models'

export class RoleModels {
  #forms = $state.raw<Readonly<Record<Role, RoleForm>>>(parseForms(readLocal(KEY)))
  #keys = $state.raw<ServerKeys>({})
  /** Of each role's form when it last had no problem; a form that is being filled in does not count yet. */
  #sources = $state.raw<Readonly<Record<Role, RoleSource>>>(firstSources(parseForms(readLocal(KEY))))

  form(role: Role): RoleForm {
    return this.#forms[role]
  }
  result(role: Role): FormResult {
    return sourceOf(this.#forms[role])
  }
  /** Of the server in a role's form; '' where there is none. */
  key(role: Role): string {
    return keyFor(this.#keys, this.#forms[role].baseUrl.trim()) ?? ''
  }
  /** Of WebLLM models at addresses of one's own that stand in the forms. */
  get ownRecords(): ModelRecord[] {
    const records = ROLE_NAMES.map((role) => ({ ...this.#forms[role], hasOwnAddresses: true })).map(webLlmRecord)
    return records.filter((record) => record !== null)
  }
  /** All roles are played by what ships with the page. */
  get isBuiltIn(): boolean {
    return ROLE_NAMES.every((role) => this.#sources[role].kind === 'built-in')
  }
  /** A role whose form has a problem, in words; null where a run can start. */
  get problem(): { role: Role; why: string } | null {
    for (const role of ROLE_NAMES) {
      const { problem } = this.result(role)
      if (problem !== null) return { role, why: problem }
    }
    return null
  }
  /** Of all servers that one was given for; a kept run finds its own among them. */
  get keys(): ServerKeys {
    return this.#keys
  }
  /** What a run is started with; nothing of it where all is built in. */
  get request(): { models?: Partial<Record<Role, RoleSource>>; keys?: ServerKeys } {
    return this.isBuiltIn ? {} : { models: this.#sources, keys: this.#keys }
  }

  change(role: Role, fields: Partial<RoleForm>): void {
    this.#forms = { ...this.#forms, [role]: { ...this.#forms[role], ...fields } }
    const { source } = this.result(role)
    if (source) this.#sources = { ...this.#sources, [role]: source }
    writeLocal(KEY, JSON.stringify(this.#forms))
  }

  setKey(role: Role, key: string): void {
    this.setServerKey(this.#forms[role].baseUrl, key)
  }

  setServerKey(address: string, key: string): void {
    this.#keys = { ...this.#keys, [serverAddress(address.trim())]: key }
  }
}

function firstSources(forms: Readonly<Record<Role, RoleForm>>): Record<Role, RoleSource> {
  const source = (role: Role): RoleSource => sourceOf(forms[role]).source ?? { kind: 'built-in' }
  return { policy: source('policy'), reward: source('reward'), author: source('author') }
}
