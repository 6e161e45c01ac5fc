/**
 * The cluster file: what only the operator of a cluster knows (docs/gateway.md has an example). The gateway writes its paths and
 * secrets into configurations on the cluster and never sends them to a browser.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'
import { RELEASED_SYSTEMS, type ReleasedSystem } from '../protocol.ts'
import type { ConfigTree } from '../released/defaults.ts'
import { isTree } from '../released/mapping.ts'
import { errorText } from '../../threads/error-text.ts'

const SHORTEST_TOKEN = 16

const path = v.pipe(v.string(), v.check(isAbsolute, 'must be an absolute path'))
const text = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const count = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high))
const tree = v.custom<ConfigTree>(isTree, 'must be keys and values')
const origin = v.pipe(
  v.string(),
  v.check(isOrigin, 'must be a scheme and a host, such as https://playground.example, without a path'),
)

const systemSchema = v.strictObject({
  /** Merged into the released configuration: models, paths, nodes. */
  config: v.optional(tree, {}),
  /** Command after a run was stopped, started without a shell; the project is in RLANYTHING_PROJECT. */
  cleanup: v.optional(v.pipe(v.array(text), v.minLength(1))),
})

const clusterSchema = v.strictObject({
  /** Root of Open-AgentRL, `rl_base_dir`. */
  checkout: path,
  /** Folder in which the gateway stores its runs. */
  state: path,
  listen: v.optional(
    v.strictObject({ host: v.optional(text, '127.0.0.1'), port: v.optional(count(0, 65535), 8787) }),
    {},
  ),
  /** Pages that may connect. */
  origins: v.optional(v.array(origin), []),
  /** Here, in a file or in RLANYTHING_GATEWAY_TOKEN. */
  token: v.optional(v.string()),
  tokenFile: v.optional(path),
  /** Without it, runs are processes on this machine. */
  ray: v.optional(
    v.strictObject({
      address: v.pipe(
        v.string(),
        v.regex(/^https?:\/\/[^\s/?#]+\/?$/, 'must be an address such as http://127.0.0.1:8265'),
      ),
      token: v.optional(text),
      tokenFile: v.optional(path),
    }),
  ),
  python: v.optional(text, 'python3'),
  gpus: v.optional(count(0, 1_000_000), 0),
  /** Environment variables of the job: MLP_WORKER_0_HOST, MLP_WORKER_0_PORT, … */
  environment: v.optional(v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), v.string()), {}),
  /** Another YAML file, merged into the configuration of every system: cloud keys. */
  secrets: v.optional(path),
  systems: v.strictObject({
    alfworld: v.optional(systemSchema),
    coding: v.optional(systemSchema),
    osworld: v.optional(systemSchema),
  }),
  /** How much of the rollouts is reported: groups per step, and characters per text. */
  rollouts: v.optional(
    v.strictObject({
      groupsPerStep: v.optional(count(0, 1000), 2),
      characters: v.optional(count(0, 1_000_000), 2000),
      reasoningCharacters: v.optional(count(0, 1_000_000), 500),
    }),
    {},
  ),
})

export type ClusterSystem = v.InferOutput<typeof systemSchema>

export interface Cluster extends Omit<v.InferOutput<typeof clusterSchema>, 'systems' | 'token' | 'tokenFile' | 'ray'> {
  token: string | null
  ray: { address: string; token: string | null } | null
  systems: Partial<Record<ReleasedSystem, ClusterSystem>>
  secretConfig: ConfigTree
}

export class ClusterFileError extends Error {
  override readonly name = 'ClusterFileError'
}

/** Reads YAML or JSON. Throws ClusterFileError with one sentence. The environment may contain the two tokens. */
export function readClusterFile(file: string): Cluster {
  return parseCluster(readYaml(file), file, process.env)
}

export function parseCluster(value: unknown, file: string, environment: NodeJS.ProcessEnv): Cluster {
  const result = v.safeParse(clusterSchema, value)
  if (!result.success) {
    const issue = result.issues[0]
    const key = v.getDotPath(issue)
    throw new ClusterFileError(
      `${file}: ${key === null ? 'the file' : `"${key}"`}: ${issue.message}. See docs/gateway.md.`,
    )
  }
  const { token, tokenFile, ray, systems, ...cluster } = result.output
  for (const system of RELEASED_SYSTEMS) {
    const project = (systems[system]?.config['experiment'] as ConfigTree | undefined)?.['project']
    if (project !== undefined) {
      throw new ClusterFileError(
        `${file}: remove "systems.${system}.config.experiment.project": every run gets its own name.`,
      )
    }
  }
  if (!RELEASED_SYSTEMS.some((system) => systems[system])) {
    throw new ClusterFileError(`${file}: "systems" configures none of ${RELEASED_SYSTEMS.join(', ')}.`)
  }
  return {
    ...cluster,
    systems: Object.fromEntries(Object.entries(systems).filter(([, system]) => system !== undefined)),
    token: checkedToken(
      token ?? secretFrom(tokenFile) ?? fromEnvironment(environment, 'RLANYTHING_GATEWAY_TOKEN'),
      file,
    ),
    ray: ray
      ? {
          address: ray.address.replace(/\/$/, ''),
          token: ray.token ?? secretFrom(ray.tokenFile) ?? fromEnvironment(environment, 'RAY_AUTH_TOKEN'),
        }
      : null,
    secretConfig: cluster.secrets === undefined ? {} : treeIn(cluster.secrets),
  }
}

/** Throws ClusterFileError for a token that is easy to guess, or that the Authorization header cannot carry. */
function checkedToken(token: string | null, file: string): string | null {
  if (token === null || (token.length >= SHORTEST_TOKEN && /^[\x21-\x7E]+$/.test(token))) return token
  throw new ClusterFileError(
    `${file}: the token in "token", "tokenFile" or RLANYTHING_GATEWAY_TOKEN must have at least ${SHORTEST_TOKEN} ASCII characters and no spaces. Create one with "openssl rand -hex 32".`,
  )
}

/** Null if the variable is missing or empty. */
function fromEnvironment(environment: NodeJS.ProcessEnv, name: string): string | null {
  return environment[name] || null
}

function treeIn(file: string): ConfigTree {
  const value = readYaml(file)
  if (!isTree(value)) throw new ClusterFileError(`${file}: must contain keys and values, like configs/*.yaml.`)
  return value
}

function readYaml(file: string): unknown {
  let source: string
  try {
    source = readFileSync(file, 'utf8')
  } catch (cause) {
    const why = existsSync(file) ? errorText(cause) : 'the file does not exist'
    throw new ClusterFileError(
      `${resolve(file)} cannot be read: ${why}. docs/gateway.md has an example to start from.`,
      { cause },
    )
  }
  try {
    return parse(source) as unknown
  } catch (cause) {
    throw new ClusterFileError(`${file} is neither YAML nor JSON: ${errorText(cause).split('\n')[0]}`, { cause })
  }
}

function secretFrom(file: string | undefined): string | null {
  if (file === undefined) return null
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret !== '') return secret
  } catch (cause) {
    throw new ClusterFileError(`The token in ${file} cannot be read: ${errorText(cause)}`, { cause })
  }
  throw new ClusterFileError(`The token file ${file} in ${dirname(file)} is empty.`)
}

/** Whether it is scheme, host and port, as browsers write them. */
export function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value
}
