/**
 * Turns a request into the configuration that is written on the cluster, the script that starts it, and the part of both that a
 * browser may see. The cluster file's values override the request's; except for the number of nodes, none of them is shown.
 */
import * as v from 'valibot'
import { parseSettings } from '../../method/presets.ts'
import { SettingsError, settingsSchema, withCurrentNames, type Settings } from '../../method/settings.ts'
import { RELEASED_SYSTEMS, RUN_NAME, type LaunchPlan, type LiveParameters, type ReleasedSystem } from '../protocol.ts'
import { ON_CLUSTER, RELEASED_DEFAULTS, type ConfigTree, type ConfigValue } from '../released/defaults.ts'
import {
  configurationText,
  configured,
  differencesOf,
  launchCommand,
  liveOf,
  PROJECT_NAME,
  ReleaseSettingsError,
} from '../released/export.ts'
import {
  editableFields,
  isPatched,
  isTree,
  SHARED_KEYS,
  valueAt,
  withValueAt,
  type FieldName,
} from '../released/mapping.ts'
import { releasedSettings, SYSTEMS } from '../released/systems.ts'
import type { Cluster } from './cluster-file.ts'
import { quoted } from './jobs.ts'
import { GatewayProblem } from './problem.ts'

const requestSchema = v.strictObject({
  system: v.picklist(RELEASED_SYSTEMS),
  // Not valibot's record, which would silently drop `constructor`.
  settings: v.optional(v.custom<Record<string, unknown>>(isTree, 'must be names and values'), {}),
  totalSteps: v.optional(v.number()),
  saveEvery: v.optional(v.number()),
  name: v.optional(v.pipe(v.string(), v.regex(RUN_NAME))),
  dryRun: v.optional(v.boolean(), false),
})

export interface CheckedRequest {
  system: ReleasedSystem
  /** The release's settings with the request's values. */
  settings: Settings
  live: LiveParameters
  values: Partial<Record<FieldName, number>>
  name: string
  totalSteps: number
  isDryRun: boolean
}

/** Throws GatewayProblem: 400 for an invalid request, 404 for a system that the cluster does not have. */
export function checkRequest(body: unknown, cluster: Cluster): CheckedRequest {
  const parsed = v.safeParse(requestSchema, body)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    const key = v.getDotPath(issue)
    throw invalid(
      key === null ? 'The request is invalid.' : `"${key}" in the request is invalid.`,
      `${issue.message}.`,
      key === 'name'
        ? 'Use 1 to 40 lower-case letters, digits and "_", starting with a letter.'
        : 'Send system, settings, totalSteps, saveEvery, name and dryRun as described in docs/gateway.md.',
    )
  }
  const { system, totalSteps, saveEvery, name = `${system}_rl`, dryRun } = parsed.output
  const wanted = withCurrentNames(parsed.output.settings)
  if (!cluster.systems[system]) {
    throw new GatewayProblem(404, {
      what: `This cluster does not run ${system}.`,
      why: `Its cluster file configures ${Object.keys(cluster.systems).join(', ')}.`,
      remedy: 'Choose one of these, or add it under "systems" in the cluster file and restart the gateway.',
    })
  }
  const fields = new Set<string>(editableFields(system).map((field) => field.name))
  const released = releasedSettings(system)
  const values: Partial<Record<FieldName, number>> = {}
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(settingsSchema.entries, key)) {
      throw invalid(`"${key}" is not a setting.`, "The gateway accepts only the playground's settings.", 'Remove it.')
    }
    const isOutcome = key === 'signal' && value === 'outcome' && isPatched(system, 'lambda')
    if (isOutcome || Object.is(value, released[key as keyof Settings])) continue
    if (!fields.has(key)) {
      throw invalid(
        `"${key}" cannot be set for ${system}.`,
        `The release fixes it in code, as ${JSON.stringify(released[key as keyof Settings])}.`,
        `Leave it unchanged. You can set: ${[...fields].join(', ')}.`,
      )
    }
    values[key as FieldName] = value as number
  }
  // A request contains only differences: of two settings that share a key, the omitted one has the released value.
  for (const [one, other] of SHARED_KEYS) {
    if ((values[one] === undefined) === (values[other] === undefined)) continue
    const missing = values[one] === undefined ? one : other
    values[missing] = released[missing] as number
  }
  try {
    if (totalSteps !== undefined) values.totalSteps = totalSteps
    if (saveEvery !== undefined) values.saveEvery = saveEvery
    const { config } = configured(system, 'checked', values)
    const settings = parseSettings({ ...released, ...wanted })
    return {
      system,
      settings,
      live: liveOf(system, settings),
      values,
      name,
      totalSteps: valueAt(config, 'experiment.total_step') as number,
      isDryRun: dryRun,
    }
  } catch (error) {
    if (error instanceof ReleaseSettingsError)
      throw invalid(error.message, 'The release does not support it.', error.remedy)
    if (error instanceof SettingsError)
      throw invalid(error.message, 'The setting is invalid.', 'Change it and send the request again.')
    throw error
  }
}

/** The whole configuration of a run, for the cluster only. */
export function clusterConfig(request: CheckedRequest, project: string, cluster: Cluster): ConfigTree {
  const { config } = configured(request.system, project, request.values)
  const own = cluster.systems[request.system]?.config ?? {}
  const base = withValueAt(config, 'system.rl_base_dir', cluster.checkout)
  return laidOver(laidOver(base, own), cluster.secretConfig)
}

/** The part that a browser may see. */
export function shownPlan(request: CheckedRequest, project: string, cluster: Cluster): LaunchPlan {
  const config = clusterConfig(request, project, cluster)
  const own = [cluster.systems[request.system]?.config ?? {}, cluster.secretConfig]
  const shown = redacted(config, RELEASED_DEFAULTS[request.system], own, '')
  const differences = differencesOf(RELEASED_DEFAULTS[request.system], shown).filter(({ now }) => now !== ON_CLUSTER)
  const environment = Object.fromEntries(Object.keys(cluster.environment).map((name) => [name, ON_CLUSTER]))
  return {
    yaml: configurationText(shown, request.live),
    command: launchCommand(request.system, project),
    environment: { ...environment, PYTHONUNBUFFERED: '1' },
    differences,
    live: request.live,
  }
}

/** The only values of the cluster file that are public. */
const SHOWN_KEYS: ReadonlySet<string> = new Set(['experiment.num_node', 'experiment.deepspeed_file'])

function redacted(config: ConfigTree, released: ConfigTree, own: readonly ConfigTree[], prefix: string): ConfigTree {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]): [string, ConfigValue] => {
      const path = prefix + key
      const before = Object.hasOwn(released, key) ? released[key] : undefined
      if (isTree(value)) return [key, redacted(value, isTree(before) ? before : {}, own, `${path}.`)]
      const isOwn = own.some((tree) => valueAt(tree, path) !== undefined) || path === 'system.rl_base_dir'
      return [key, (isOwn || before === ON_CLUSTER) && !SHOWN_KEYS.has(path) ? ON_CLUSTER : value]
    }),
  )
}

function laidOver(base: ConfigTree, over: ConfigTree): ConfigTree {
  const merged: Record<string, ConfigValue> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined
    merged[key] = isTree(value) && isTree(before) ? laidOver(before, value) : value
  }
  return merged
}

/**
 * Runs the release and stores its output and exit code. `folder` is the gateway's folder for the run. The output also goes to Ray,
 * whose own log would otherwise be empty.
 */
export function launchScript(system: ReleasedSystem, project: string, folder: string, cluster: Cluster): string {
  if (!PROJECT_NAME.test(project)) throw new Error(`"${project}" is not a valid name of a project.`)
  const exports = Object.entries({ ...cluster.environment, PYTHONUNBUFFERED: '1' })
  return [
    '#!/usr/bin/env bash',
    'set -u -o pipefail',
    `cd ${quoted(cluster.checkout)} || exit 72`,
    ...exports.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `${quoted(cluster.python)} ${SYSTEMS[system].script} config=configs/${project}.yaml 2>&1 | tee -a ${quoted(`${folder}/job.log`)}`,
    'code=${PIPESTATUS[0]}',
    `printf '%s\\n' "$code" > ${quoted(`${folder}/exit-code.half`)} && mv ${quoted(`${folder}/exit-code.half`)} ${quoted(`${folder}/exit-code`)}`,
    'exit "$code"',
    '',
  ].join('\n')
}

function invalid(what: string, why: string, remedy: string): GatewayProblem {
  return new GatewayProblem(400, { what, why, remedy })
}
