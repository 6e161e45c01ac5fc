/** The form that launches a run of the released system: its fields, their checks, and the request to the gateway. */
import { RUN_NAME, type EditableField, type ReleasedSystem, type LaunchRequest } from '../../../cluster/protocol.ts'
import type { Settings, World } from '../../../method/settings.ts'
import { WORLDS } from '../../../worlds/index.ts'
import { compact } from '../../kit/format.ts'

export type FieldName = EditableField['name']
/** The contents of the fields; text, because a number may be incomplete while you type. */
export type FieldTexts = Partial<Record<FieldName, string>>

export const SYSTEM_WORDS: Record<ReleasedSystem, { title: string; about: string }> = {
  alfworld: { title: 'AlfWorld', about: 'The household on a cluster; 8 nodes in the release.' },
  coding: { title: 'Coding', about: 'Programs and unit tests; 4 nodes in the release.' },
  osworld: { title: 'OSWorld', about: 'Desktops in virtual machines; 12 nodes in the release.' },
}

/** Always shown; the other fields are collapsed. */
const UP_FRONT: readonly FieldName[] = [
  'lambda',
  'alphaLow',
  'alphaHigh',
  'evaluationsPerStep',
  'groupSize',
  'tasksPerIteration',
  'totalSteps',
]

export function systemOf(world: World): ReleasedSystem {
  return WORLDS[world].releasedSystem ?? 'alfworld'
}

export function splitFields(fields: readonly EditableField[]): { upFront: EditableField[]; folded: EditableField[] } {
  const upFront = UP_FRONT.flatMap((name) => fields.filter((field) => field.name === name))
  return { upFront, folded: fields.filter((field) => !upFront.includes(field)) }
}

/** The page's settings in terms of a system's fields: the signal "outcome" becomes λ = 0 if the system has a λ. */
export function settingsFor(fields: readonly EditableField[], settings: Settings): Settings {
  const hasLambda = fields.some(({ name }) => name === 'lambda')
  return settings.signal === 'outcome' && hasLambda ? { ...settings, signal: 'integrated', lambda: 0 } : settings
}

/** The fields filled from the page's settings, and from the release where there is none. */
export function textsOf(fields: readonly EditableField[], settings: Partial<Settings>): FieldTexts {
  return Object.fromEntries(
    fields.map(({ name, default: released }) => [name, String(settings[name as keyof Settings] ?? released)]),
  )
}

/** Null if the text is a valid value of the field. */
export function fieldProblem(field: EditableField, text: string): string | null {
  if (typeof field.default === 'boolean') return null
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return `${field.label} must be a number.`
  if (field.isInteger && !Number.isInteger(value)) return `${field.label} must be a whole number.`
  if (field.min !== null && value < field.min) return `${field.label} must be at least ${compact(field.min)}.`
  if (field.max !== null && value > field.max) return `${field.label} must be at most ${compact(field.max)}.`
  return null
}

export function problemsOf(fields: readonly EditableField[], texts: FieldTexts): string[] {
  return fields.flatMap((field) => fieldProblem(field, texts[field.name] ?? '') ?? [])
}

export function valueOf(field: EditableField, texts: FieldTexts): number | boolean {
  const text = texts[field.name] ?? ''
  return typeof field.default === 'boolean' ? text === 'true' : Number(text)
}

export function differsFromRelease(field: EditableField, texts: FieldTexts): boolean {
  return !Object.is(valueOf(field, texts), field.default)
}

/** Contains only differences from the release. The texts must be valid. */
export function requestOf(
  system: ReleasedSystem,
  fields: readonly EditableField[],
  texts: FieldTexts,
  name: string,
): LaunchRequest {
  const settings: Record<string, number | boolean> = {}
  const request: LaunchRequest = { system }
  for (const field of fields) {
    if (!differsFromRelease(field, texts)) continue
    const value = valueOf(field, texts)
    if (field.name === 'totalSteps' || field.name === 'saveEvery') request[field.name] = Number(value)
    else settings[field.name] = value
  }
  if (Object.keys(settings).length > 0) request.settings = settings
  if (name !== '') request.name = name
  return request
}

/** The gateway uses names for files and folders. */
export function nameProblem(name: string): string | null {
  if (name === '' || RUN_NAME.test(name)) return null
  return 'Use 1 to 40 lower-case letters, digits and "_", starting with a letter.'
}
