/** The connection to a gateway, its runs, and the runs that this page follows. */
import { GatewayClient } from '../../../cluster/client/gateway-client.ts'
import { GatewayError } from '../../../cluster/client/gateway-error.ts'
import { checkConnection, type ConnectionCheck } from '../../../cluster/client/connection-check.ts'
import type {
  EditableField,
  LaunchPlan,
  LiveParameter,
  ReleasedSystem,
  GatewayRun,
  LaunchRequest,
} from '../../../cluster/protocol.ts'
import { ClusterProfiles } from './profiles.svelte.ts'
import { ClusterRun } from './run.svelte.ts'

export class Cluster {
  /** The form and the connection name the same gateway. */
  readonly profiles = new ClusterProfiles(() => this.disconnect())
  #check = $state.raw<ConnectionCheck | null>(null)
  #isChecking = $state.raw(false)
  #client = $state.raw<GatewayClient | null>(null)
  #runs = $state.raw<readonly GatewayRun[]>([])
  #followed = $state.raw<readonly ClusterRun[]>([])
  #problem = $state.raw<GatewayError | null>(null)
  #isSending = $state.raw(false)
  #checking = new AbortController()

  /** Result of the last attempt to connect; null before the first. */
  get check(): ConnectionCheck | null {
    return this.#check
  }
  get isChecking(): boolean {
    return this.#isChecking
  }
  get isConnected(): boolean {
    return this.#client !== null
  }
  /** Address of the connected gateway; null without one. */
  get address(): string | null {
    return this.#client?.address ?? null
  }
  /** All runs of the gateway, newest first. */
  get runs(): readonly GatewayRun[] {
    return this.#runs
  }
  get followed(): readonly ClusterRun[] {
    return this.#followed
  }
  /** Why the last command failed; null if it did not. */
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

  /** The page continues to follow its runs. */
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
      if (this.#client === client) this.#runs = runs.toSorted((a, b) => b.startedAt - a.startedAt)
    })
  }

  /** A dry run; null if it is refused, with the reason in `problem`. */
  async plan(request: LaunchRequest): Promise<LaunchPlan | null> {
    let plan: LaunchPlan | null = null
    await this.#send(async (client) => {
      plan = await client.plan(request)
    })
    return plan
  }

  /** Launches a run and follows it; null on failure, with the reason in `problem`. */
  async launch(request: LaunchRequest): Promise<ClusterRun | null> {
    let run: ClusterRun | null = null
    const parameters = this.#parametersOf(request.system)
    await this.#send(async (client) => {
      const { run: summary } = await client.start(request)
      run = this.#followOn(client, summary, parameters)
    })
    if (run) await this.refresh()
    return run
  }

  follow(summary: GatewayRun): ClusterRun | null {
    return this.#client && this.#followOn(this.#client, summary, this.#parametersOf(summary.system))
  }

  #parametersOf(system: ReleasedSystem): readonly LiveParameter[] {
    return this.#check?.health?.systems[system]?.parameters ?? []
  }

  /** The page may be connected to another gateway by now. */
  #followOn(client: GatewayClient, summary: GatewayRun, parameters: readonly LiveParameter[]): ClusterRun {
    const known = this.#followed.find((run) => run.runId === summary.runId && run.gateway === client.address)
    if (known) return known
    const run = new ClusterRun(client, summary, parameters)
    this.#followed = [...this.#followed, run]
    return run
  }

  leave(run: ClusterRun): void {
    run.leave()
    this.#followed = this.#followed.filter((other) => other !== run)
  }

  /** Retries all connections at once, since the network is back. */
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
      // Ignore errors of a connection that was closed meanwhile.
      if (this.#client === client) this.#problem = error
    } finally {
      this.#isSending = false
    }
  }
}
