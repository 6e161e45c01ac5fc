/** The runs of a cluster, independent of HTTP (http-server.ts). */
import { execFile, type ExecFileException } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSettings } from '../../method/presets.ts'
import { SettingsError } from '../../method/settings.ts'
import {
  GATEWAY_NAME,
  LIVE_PARAMETERS,
  PROTOCOL_VERSION,
  type GatewayHealth,
  type GatewaySchema,
  type LaunchPlan,
  type LivePatchAnswer,
  type LiveParameters,
  type ReleasedSystem,
  type GatewayRun,
  type StartAnswer,
} from '../protocol.ts'
import { openKeys, PROJECT_NAME } from '../released/export.ts'
import { editableFields } from '../released/mapping.ts'
import { releasedSettings } from '../released/systems.ts'
import { yamlText } from '../released/yaml-text.ts'
import { isLoopbackHost } from './access.ts'
import type { Cluster } from './cluster-file.ts'
import type { JobBackend } from './jobs.ts'
import { checkRequest, clusterConfig, launchScript, shownPlan } from './launch-plan.ts'
import { ManagedRun, type ManagedRunOptions } from './managed-run.ts'
import { applyPatch, patchState, replaceFile } from './patch.ts'
import { GatewayProblem } from './problem.ts'
import { Redactor, secretsIn } from './redactor.ts'
import type { RunRecord } from './run-record.ts'
import { lockState } from './state-lock.ts'
import { errorText } from '../../threads/error-text.ts'

const run = promisify(execFile)
const POLL_MS = 1000
const CLEANUP_MS = 120_000
/** Letters that are easy to tell apart. */
const ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789'

export interface GatewayOptions {
  cluster: Cluster
  backend: JobBackend
  /** Version of this project. */
  version: string
  pollMs?: number
  /** Called with what only the operator may read. */
  say?: (message: string) => void
}

export class Gateway {
  readonly redactor: Redactor
  readonly #cluster: Cluster
  readonly #backend: JobBackend
  readonly #version: string
  readonly #pollMs: number
  readonly #say: (message: string) => void
  #unlock: () => void = () => {}
  readonly #runs = new Map<string, ManagedRun>()

  constructor({ cluster, backend, version, pollMs = POLL_MS, say = () => {} }: GatewayOptions) {
    this.#cluster = cluster
    this.#backend = backend
    this.#version = version
    this.#pollMs = pollMs
    this.#say = say
    this.redactor = new Redactor([
      cluster.checkout,
      cluster.state,
      ...(cluster.python.includes('/') ? [cluster.python] : []),
      ...(cluster.ray ? namesOf(cluster.ray.address) : []),
      ...[cluster.token, cluster.ray?.token ?? null].filter((token) => token !== null),
      ...Object.values(cluster.environment).filter((value) => !/^\d+$/.test(value)),
      ...secretsIn(cluster.secretConfig, true),
      ...Object.values(cluster.systems).flatMap(({ config }) => secretsIn(config)),
    ])
  }

  /** Opens the runs of an earlier gateway. Reports and skips unreadable ones. Throws GatewayProblem if another gateway has them open. */
  open(): void {
    const folder = join(this.#cluster.state, 'runs')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#unlock = lockState(this.#cluster.state)
    for (const runId of readdirSync(folder)) {
      if (!PROJECT_NAME.test(runId) || !existsSync(join(folder, runId, 'run.json'))) continue
      try {
        const managed = ManagedRun.load(join(folder, runId), this.#context(runId))
        this.#runs.set(runId, managed)
        if (!managed.isTold) managed.begin()
      } catch (error) {
        this.#say(`The run ${runId} cannot be opened: ${errorText(error)}`)
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((managed) => managed.close()))
    this.#unlock()
  }

  async health(): Promise<GatewayHealth> {
    const { checkout, gpus } = this.#cluster
    let rayVersion: string | null = null
    try {
      rayVersion = await this.#backend.version()
    } catch {
      // The gateway stays healthy; starting a run reports the problem.
    }
    const systems: GatewayHealth['systems'] = {}
    for (const system of this.#systems()) systems[system] = this.redactor.value(patchState(checkout, system))
    return {
      name: GATEWAY_NAME,
      protocol: PROTOCOL_VERSION,
      version: this.#version,
      backend: this.#backend.kind,
      rayVersion,
      commit: await commitOf(checkout),
      gpus,
      systems,
    }
  }

  schema(): GatewaySchema {
    return { systems: Object.fromEntries(this.#systems().map((system) => [system, editableFields(system)])) }
  }

  /** For a dry run, returns only a LaunchPlan. Throws GatewayProblem. */
  async start(body: unknown): Promise<LaunchPlan | StartAnswer> {
    const request = checkRequest(body, this.#cluster)
    const runId = this.#newName(request.name)
    const plan = shownPlan(request, runId, this.#cluster)
    if (request.isDryRun) return plan
    const { checkout } = this.#cluster
    const config = clusterConfig(request, runId, this.#cluster)
    const missing = openKeys(config)
    if (missing.length > 0) {
      throw new GatewayProblem(409, {
        what: `The cluster file lacks values that a run of ${request.system} requires.`,
        why: `Missing: ${missing.join(', ')}.`,
        remedy: `Set them under systems.${request.system}.config in the cluster file, or in its secrets file, and restart the gateway.`,
      })
    }
    applyPatch(checkout, request.system)
    const folder = join(this.#cluster.state, 'runs', runId)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'config.yaml'), plan.yaml, { mode: 0o600 })
    replaceFile(join(checkout, 'configs', `${runId}.yaml`), yamlText(config), 0o600)
    const record: RunRecord = {
      runId,
      system: request.system,
      name: request.name,
      state: 'PENDING',
      message: '',
      exitCode: null,
      startedAt: Date.now(),
      endedAt: null,
      totalSteps: request.totalSteps,
      settings: request.settings,
      changes: [{ fromStep: 1, live: request.live }],
      handle: null,
      backend: this.#backend.kind,
      isStopWanted: false,
      notices: [],
      plan,
      config,
    }
    const managed = new ManagedRun(record, this.#context(runId))
    this.#runs.set(runId, managed)
    await managed.start(launchScript(request.system, runId, folder, this.#cluster))
    return { ...plan, run: managed.summary }
  }

  /** Latest first. */
  list(): GatewayRun[] {
    return [...this.#runs.values()].map(({ summary }) => summary).sort((one, other) => other.startedAt - one.startedAt)
  }

  /** Throws GatewayProblem with status 404. */
  find(runId: string): ManagedRun {
    const managed = this.#runs.get(runId)
    if (managed) return managed
    throw new GatewayProblem(404, {
      what: 'There is no such run.',
      why: PROJECT_NAME.test(runId)
        ? `This gateway has no run "${runId}".`
        : 'Names of runs consist of lower-case letters, digits and "_".',
      remedy: 'Request the list of runs.',
    })
  }

  async patch(runId: string, body: unknown): Promise<LivePatchAnswer> {
    const managed = this.find(runId)
    const request = livePatch(body)
    const { record } = managed
    let checked: LiveParameters
    try {
      const { lambda, alphaLow, alphaHigh } = parseSettings({
        ...releasedSettings(record.system),
        ...managed.latestLive,
        ...request,
      })
      checked = { lambda, alphaLow, alphaHigh }
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      throw new GatewayProblem(400, {
        what: error.message,
        why: 'The value is invalid.',
        remedy: 'Choose another value.',
      })
    }
    return managed.patch(request, checked)
  }

  #systems(): ReleasedSystem[] {
    return Object.keys(this.#cluster.systems) as ReleasedSystem[]
  }

  #context(runId: string): ManagedRunOptions {
    return {
      folder: join(this.#cluster.state, 'runs', runId),
      checkout: this.#cluster.checkout,
      backend: this.#backend,
      redactor: this.redactor,
      limits: this.#cluster.rollouts,
      pollMs: this.#pollMs,
      cleanup: (record) => this.#cleanUp(record),
    }
  }

  /** Runs the operator's cleanup command: the release leaves processes on other nodes, and machines in the cloud. */
  async #cleanUp({ system, runId }: RunRecord): Promise<string | null> {
    const [file, ...args] = this.#cluster.systems[system]?.cleanup ?? []
    if (file === undefined) return null
    try {
      await run(file, args, {
        cwd: this.#cluster.checkout,
        timeout: CLEANUP_MS,
        env: { ...process.env, ...this.#cluster.environment, RLANYTHING_PROJECT: runId },
      })
      return null
    } catch (error) {
      this.#say(`The cleanup of the run ${runId} failed: ${errorText(error)}`)
      return `The cleanup command of the cluster file failed: ${failureOf(error as ExecFileException)}. The gateway's output on the cluster says more.`
    }
  }

  #newName(name: string): string {
    for (;;) {
      const letters = [...randomBytes(6)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
      const runId = `${name}_${letters}`
      if (!this.#runs.has(runId) && !existsSync(join(this.#cluster.checkout, runId))) return runId
    }
  }
}

function livePatch(body: unknown): Partial<LiveParameters> {
  const entries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const names: readonly string[] = LIVE_PARAMETERS
  const isGood =
    entries.length > 0 && entries.every(([name, value]) => names.includes(name) && typeof value === 'number')
  if (isGood) return Object.fromEntries(entries)
  throw new GatewayProblem(400, {
    what: 'The change is invalid.',
    why: `While a run is running, only ${LIVE_PARAMETERS.join(', ')} can change, and only to numbers.`,
    remedy: 'Send an object with at least one of them and nothing else.',
  })
}

/** How a command failed. Its message contains its arguments and its output, which stay on the cluster. */
function failureOf({ code, killed }: ExecFileException): string {
  if (typeof code === 'string') return code
  if (killed === true) return `timeout after ${CLEANUP_MS / 1000} s`
  return typeof code === 'number' ? `exit code ${code}` : 'it was killed'
}

/** Host of an address, with and without its port, as programs print it. A plain word may be an ordinary word of a log. */
function namesOf(address: string): string[] {
  const { host, hostname } = new URL(address)
  if (isLoopbackHost(host)) return []
  const bare = hostname.replace(/^\[|\]$/g, '')
  return /^[a-z]+$/.test(bare) ? [host] : [host, bare]
}

async function commitOf(checkout: string): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', checkout, 'rev-parse', 'HEAD'], { timeout: 5000 })
    return /^[0-9a-f]{40}$/.test(stdout.trim()) ? stdout.trim() : null
  } catch {
    return null
  }
}
