/** The connection to a gateway, its runs, and those of them that this page follows. */
import { GatewayClient } from '../../../cluster/client/gateway-client.ts'
import { GatewayError } from '../../../cluster/client/gateway-error.ts'
import { checkConnection, type ConnectionCheck } from '../../../cluster/client/connection-check.ts'
import type { EditableField, LaunchPlan, ReleasedSystem, RunSummary, StartRequest } from '../../../cluster/protocol.ts'
import { ClusterProfiles, type ProfileStorage } from './cluster-profiles.svelte.ts'
import { ClusterRun } from './cluster-run.svelte.ts'

export class Cluster {
  readonly profiles: ClusterProfiles
  #check = $state.raw<ConnectionCheck | null>(null)
  #isChecking = $state.raw(false)
  #client = $state.raw<GatewayClient | null>(null)
  #runs = $state.raw<readonly RunSummary[]>([])
  #followed = $state.raw<readonly ClusterRun[]>([])
  #problem = $state.raw<GatewayError | null>(null)
  #isSending = $state.raw(false)
  #checking = new AbortController()

  constructor(storage: ProfileStorage) {
    this.profiles = new ClusterProfiles(storage)
  }

  /** Of the last try; null before one. */
  get check(): ConnectionCheck | null {
    return this.#check
  }
  get isChecking(): boolean {
    return this.#isChecking
  }
  get isConnected(): boolean {
    return this.#client !== null
  }
  /** All runs of the gateway, latest first. */
  get runs(): readonly RunSummary[] {
    return this.#runs
  }
  get followed(): readonly ClusterRun[] {
    return this.#followed
  }
  /** What became of the last command, where it failed. */
  get problem(): GatewayError | null {
    return this.#problem
  }
  get isSending(): boolean {
    return this.#isSending
  }

  fieldsOf(system: ReleasedSystem): EditableField[] | null {
    return this.#check?.schema?.systems[system] ?? null
  }

  async connect(): Promise<void> {
    this.disconnect()
    const { address } = this.profiles.chosen
    const token = this.profiles.token || null
    this.#checking = new AbortController()
    const { signal } = this.#checking
    this.#isChecking = true
    try {
      const check = await checkConnection({
        address,
        token,
        page: location.href,
        isSecureContext,
        permissions: navigator.permissions,
        signal,
      })
      this.#check = check
      if (check.problem) return
      this.#client = new GatewayClient({ address, token })
      for (const run of this.#followed) if (run.gateway === this.#client.address) run.reconnect(this.#client)
      await this.refresh()
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      if (!signal.aborted) this.#isChecking = false
    }
  }

  /** Runs that are followed go on being followed. */
  disconnect(): void {
    this.#checking.abort()
    this.#isChecking = false
    this.#client = null
    this.#check = null
    this.#runs = []
    this.#problem = null
  }

  async refresh(): Promise<void> {
    await this.#send(async (client) => {
      const runs = await client.runs()
      this.#runs = runs.toSorted((a, b) => b.startedAt - a.startedAt)
    })
  }

  /** What a request would launch; null where it is refused, and then `problem` says why. */
  async plan(request: StartRequest): Promise<LaunchPlan | null> {
    let plan: LaunchPlan | null = null
    await this.#send(async (client) => {
      plan = await client.plan(request)
    })
    return plan
  }

  /** Launches and follows. Null where it failed. */
  async launch(request: StartRequest): Promise<ClusterRun | null> {
    let run: ClusterRun | null = null
    await this.#send(async (client) => {
      const { run: summary } = await client.start(request)
      run = this.follow(summary)
    })
    if (run) await this.refresh()
    return run
  }

  follow(summary: RunSummary): ClusterRun | null {
    const client = this.#client
    if (!client) return null
    const known = this.#followed.find((run) => run.runId === summary.runId && run.gateway === client.address)
    if (known) return known
    const parameters = this.#check?.health?.systems[summary.system]?.parameters ?? []
    const run = new ClusterRun(client, summary, parameters)
    this.#followed = [...this.#followed, run]
    return run
  }

  leave(run: ClusterRun): void {
    run.leave()
    this.#followed = this.#followed.filter((other) => other !== run)
  }

  /** The network is back: nobody waits any longer. */
  wake(): void {
    for (const run of this.#followed) run.reconnect()
  }

  async #send(command: (client: GatewayClient) => Promise<void>): Promise<void> {
    const client = this.#client
    if (!client) return
    this.#isSending = true
    this.#problem = null
    try {
      await command(client)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      // Of a connection that has been given up meanwhile.
      if (this.#client === client) this.#problem = error
    } finally {
      this.#isSending = false
    }
  }
}
