/** Which models play the roles of the next run. The browser stores the forms; keys stay in memory. */
import { keyFor, serverAddress, type RoleSource, type ServerKeys, type ModelRecord } from '../../roles/source.ts'
import {
  parseForms,
  ROLE_NAMES,
  sourceOf,
  trainedForm,
  webLlmRecord,
  type FormResult,
  type Role,
  type RoleForm,
} from '../run/role-models.ts'
import type { LearningRole } from '../../roles/learning.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { AddedFolders } from '../../sessions/kept-models.ts'
import { readLocal, writeLocal } from '../kit/local-text.ts'

const KEY = 'playground.models'

export class RoleModels {
  #forms = $state.raw<Readonly<Record<Role, RoleForm>>>(parseForms(readLocal(KEY)))
  #keys = $state.raw<ServerKeys>({})
  #foldersAdded = $state.raw(0)
  /** The source of each role, from the last state of its form without a problem. */
  #sources = $state.raw<Readonly<Record<Role, RoleSource>>>(firstSources(parseForms(readLocal(KEY))))

  /** Graphics memory that models may take. A page cannot find out how much there is. */
  gigabytes = $state(4)
  get graphicsMemory(): number {
    return Math.max(0, this.gigabytes || 0) * 1e9
  }

  form(role: Role): RoleForm {
    return this.#forms[role]
  }
  result(role: Role): FormResult {
    return sourceOf(this.#forms[role])
  }
  /** What plays a role in the next run. */
  source(role: Role): RoleSource {
    return this.#sources[role]
  }
  /** Key of the server in a role's form; empty if there is none. */
  key(role: Role): string {
    return keyFor(this.#keys, this.#forms[role].baseUrl.trim()) ?? ''
  }
  /** WebLLM models in the forms that have their own addresses. */
  get ownRecords(): ModelRecord[] {
    const records = ROLE_NAMES.map((role) => ({ ...this.#forms[role], hasOwnAddresses: true })).map(webLlmRecord)
    return records.filter((record) => record !== null)
  }
  /** Whether the shipped models of a world play all roles. */
  get isBuiltIn(): boolean {
    return ROLE_NAMES.every((role) => {
      const source = this.#sources[role]
      return source.kind === 'built-in' && !source.isEarly
    })
  }
  /** The first role whose form has a problem; null if a run can start. */
  get problem(): { role: Role; why: string } | null {
    for (const role of ROLE_NAMES) {
      const { problem } = this.result(role)
      if (problem !== null) return { role, why: problem }
    }
    return null
  }
  /** Keys by server. A kept run finds its own among them. */
  get keys(): ServerKeys {
    return this.#keys
  }
  /** The models to start a run with; undefined if all roles are built in. */
  get chosen(): Partial<Record<Role, RoleSource>> | undefined {
    return this.isBuiltIn ? undefined : this.#sources
  }

  change(role: Role, fields: Partial<RoleForm>): void {
    this.#forms = { ...this.#forms, [role]: { ...this.#forms[role], ...fields } }
    const { source } = this.result(role)
    if (source) this.#sources = { ...this.#sources, [role]: source }
    writeLocal(KEY, JSON.stringify(this.#forms))
  }

  /** Chooses the folders of another run's models, with adapters for those that it trained by adapters. */
  startFrom(folders: AddedFolders, roles: readonly LearningRole[], trained: RunSummary['models'] = {}): void {
    for (const role of roles) {
      const name = folders[role]
      if (name !== undefined) this.change(role, trainedForm(name, trained[role]))
    }
    this.#foldersAdded++
  }
  /** How often folders were added to this browser in this way. */
  get foldersAdded(): number {
    return this.#foldersAdded
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
