/**
 * Exports settings as a configuration of the release, with the command that starts it, the differences from the release, and the
 * settings that it cannot express. Pure; used by the page and the gateway.
 */
import type { Settings } from '../../method/settings.ts'
import { LIVE_PARAMETERS, type ConfigDifference, type LiveParameters, type ReleasedSystem } from '../protocol.ts'
import { ON_CLUSTER, RELEASED_DEFAULTS, type ConfigTree, type ConfigValue } from './defaults.ts'
import {
  editableFields,
  isPatched,
  isTree,
  SETTING_KEYS,
  SHARED_KEYS,
  valueAt,
  whyNotCarried,
  withValueAt,
  type FieldName,
} from './mapping.ts'
import { releasedSettings, SYSTEMS } from './systems.ts'
import { yamlText } from './yaml-text.ts'

/** Names of projects, and so of files, folders and cloud machines. No other text of a request reaches a shell. */
export const PROJECT_NAME = /^[a-z][a-z0-9_]{0,47}$/

export interface NotCarried {
  name: keyof Settings
  value: unknown
  why: string
}

export interface ReleaseExport {
  /** The whole configuration; ON_CLUSTER marks what the operator must fill in. */
  config: ConfigTree
  yaml: string
  command: string
  differences: ConfigDifference[]
  live: LiveParameters
  notCarried: NotCarried[]
}

export interface ExportOptions {
  project?: string
  totalSteps?: number
  saveEvery?: number
}

/** An invalid value: the message is for the user, `field` names the setting. */
export class ReleaseSettingsError extends Error {
  override readonly name = 'ReleaseSettingsError'
  readonly field: string
  readonly remedy: string

  constructor(field: string, message: string, remedy: string) {
    super(message)
    this.field = field
    this.remedy = remedy
  }
}

/**
 * The settings as a configuration of a system. Throws ReleaseSettingsError for a value that the release does not support, and for two
 * settings that share a key and differ.
 */
export function exportRelease(
  system: ReleasedSystem,
  settings: Settings,
  { project = `${system}_rl`, totalSteps, saveEvery }: ExportOptions = {},
): ReleaseExport {
  checkProject(project)
  const wanted: Partial<Record<FieldName, number>> = {}
  for (const { name } of editableFields(system)) {
    const value = name === 'totalSteps' ? totalSteps : name === 'saveEvery' ? saveEvery : settings[name]
    if (value !== undefined) wanted[name] = value as number
  }
  const { config, differences } = configured(system, project, wanted)
  return {
    config,
    yaml: configurationText(config, liveOf(system, settings)),
    command: launchCommand(system, project),
    differences,
    live: liveOf(system, settings),
    notCarried: notCarriedOf(system, settings),
  }
}

/** Settings that differ from the release and that it cannot express. */
export function notCarriedOf(system: ReleasedSystem, settings: Settings): NotCarried[] {
  return (Object.keys(settings) as (keyof Settings)[]).flatMap((name) => {
    const why = whyNotCarried(system, name, settings)
    return why === null ? [] : [{ name, value: settings[name], why }]
  })
}

export function checkProject(project: string): void {
  if (PROJECT_NAME.test(project)) return
  throw new ReleaseSettingsError(
    'name',
    `"${project.slice(0, 60)}" cannot be the name of a run: names become files and folders on the cluster.`,
    'Use 1 to 48 lower-case letters, digits and "_", starting with a letter.',
  )
}

/** The released configuration with our values. Throws ReleaseSettingsError. */
export function configured(
  system: ReleasedSystem,
  project: string,
  values: Partial<Record<FieldName, number>>,
): { config: ConfigTree; differences: ConfigDifference[] } {
  const fields = new Map(editableFields(system).map((field) => [field.name, field]))
  for (const [name, value] of Object.entries(values) as [FieldName, number][]) {
    const field = fields.get(name)
    if (field === undefined) {
      throw new ReleaseSettingsError(name, `${name} cannot be set for ${system}.`, settable(system))
    }
    const isInRange = (field.min === null || value >= field.min) && (field.max === null || value <= field.max)
    if (typeof value !== 'number' || !isInRange || (field.isInteger && !Number.isInteger(value))) {
      const kind = field.isInteger ? 'a whole number' : 'a number'
      const remedy = `Enter ${kind} from ${field.min} to ${field.max}.`
      throw new ReleaseSettingsError(name, `${name} cannot be ${JSON.stringify(value)} for ${system}.`, remedy)
    }
  }
  checkShared(values)
  let config = withValueAt(RELEASED_DEFAULTS[system], 'experiment.project', project)
  for (const [name, value] of Object.entries(values) as [FieldName, number][]) {
    for (const key of SETTING_KEYS[system][name] ?? []) config = withValueAt(config, key, value)
  }
  return { config, differences: differencesOf(RELEASED_DEFAULTS[system], config) }
}

function checkShared(values: Partial<Record<FieldName, number>>): void {
  for (const [one, other] of SHARED_KEYS) {
    if (values[one] === undefined || values[other] === undefined || values[one] === values[other]) continue
    throw new ReleaseSettingsError(
      other,
      `${one} is ${values[one]} and ${other} is ${values[other]}, but the release has one value for both.`,
      'Set both to the same value.',
    )
  }
}

function settable(system: ReleasedSystem): string {
  return `You can set: ${editableFields(system)
    .map(({ name }) => name)
    .join(', ')}.`
}

/** All leaves that differ, in the order of the released file. */
export function differencesOf(released: ConfigTree, now: ConfigTree, prefix = ''): ConfigDifference[] {
  const differences: ConfigDifference[] = []
  for (const key of new Set([...Object.keys(released), ...Object.keys(now)])) {
    const path = prefix + key
    if (path === 'experiment.project') continue
    const [before, after] = [valueAt(released, key), valueAt(now, key)]
    if (isTree(before) && isTree(after)) differences.push(...differencesOf(before, after, `${path}.`))
    else if (!isSame(before, after)) differences.push({ key: path, released: before ?? null, now: after ?? null })
  }
  return differences
}

function isSame(one: ConfigValue | undefined, other: ConfigValue | undefined): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)
}

/** λ, α_low and α_high for patched code. The signal `outcome` is λ = 0. */
export function liveOf(system: ReleasedSystem, settings: Settings): LiveParameters {
  const released = releasedSettings(system)
  const live: LiveParameters = { lambda: released.lambda, alphaLow: released.alphaLow, alphaHigh: released.alphaHigh }
  for (const name of LIVE_PARAMETERS) if (isPatched(system, name)) live[name] = settings[name]
  if (settings.signal === 'outcome' && isPatched(system, 'lambda')) live.lambda = 0
  return live
}

/**
 * The YAML, followed by the live values, which have no key in the release. The released code ignores them; patched code reads them
 * from a file that the gateway writes.
 */
export function configurationText(config: ConfigTree, live: LiveParameters): string {
  const open = openKeys(config)
  const head = [
    '# Configuration of the released system (Gen-Verse/Open-AgentRL), written by RLAnything Playground.',
    '# The file must be called configs/<experiment.project>.yaml: every stage reads it by that name.',
    ...(open.length > 0 ? [`# Replace "${ON_CLUSTER}" in: ${open.join(', ')}.`] : []),
    '',
  ].join('\n')
  const block: ConfigTree = {
    rlanything: { lambda: live.lambda, alpha_low: live.alphaLow, alpha_high: live.alphaHigh },
  }
  return `${head}${yamlText(config)}# Not read by the released code, which fixes 1, 0.2 and 0.8; the gateway's patch does.\n${yamlText(block)}`
}

/** Keys that the operator has not filled in. */
export function openKeys(tree: ConfigTree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (isTree(value)) return openKeys(value, `${prefix}${key}.`)
    return value === ON_CLUSTER ? [prefix + key] : []
  })
}

/** Run in the root of the checkout. */
export function launchCommand(system: ReleasedSystem, project: string): string {
  checkProject(project)
  return `PYTHONUNBUFFERED=1 python ${SYSTEMS[system].script} config=configs/${project}.yaml`
}
