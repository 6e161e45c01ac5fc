/**
 * What the phases of an iteration share: the ports, the state that is a fold of the log, and how events leave the loop. Times
 * the work alone, not how long the caller takes to handle an event.
 */
import type { EphemeralBody, LoggedBody, LoggedEvent, RunEvent } from '../events.ts'
import type { Learner } from '../learning.ts'
import type { Component, LoopPorts, LoopRequest } from '../loop-contract.ts'
import { LoopState } from '../loop-state.ts'
import { finiteOnly } from '../metrics.ts'
import { rewardStrategy } from '../choose-strategy.ts'
import type { RewardStrategy } from '../reward-strategy.ts'
import type { Settings } from '../settings.ts'

export type Events<Result> = AsyncGenerator<RunEvent, Result, void>
/**
 * What `timing_s/*` measures. `update` is both updates, which run at the same time; `sync_*` is the part of one that sends
 * weights to a sampler.
 */
export type Work = 'gen' | 'judge' | 'update' | `update_${Learner}` | `sync_${Learner}` | 'adapt' | 'eval'

export class RunContext {
  readonly ports: LoopPorts
  readonly request: LoopRequest
  readonly state: LoopState
  readonly strategy: RewardStrategy
  /** The one that new events belong to. */
  iteration: number
  readonly #durationMs = new Map<Work, number>()

  /** Throws if the reward model writes tests and there is no port to run them. */
  constructor(ports: LoopPorts, request: LoopRequest) {
    this.ports = ports
    this.request = request
    this.strategy = rewardStrategy(ports)
    this.state = LoopState.fromHistory(request.history ?? [])
    this.iteration = this.state.iteration
  }

  get settings(): Settings {
    return this.state.knownSettings
  }

  get signal(): AbortSignal | undefined {
    return this.request.signal
  }

  /** Whether a component learns or adapts in this iteration. */
  readonly trains = (component: Component): boolean => {
    if (this.request.only) return this.request.only === component
    const { trainPolicy, trainReward, adaptEnvironment } = this.settings
    return { policy: trainPolicy, reward: trainReward, environment: adaptEnvironment }[component]
  }

  startIteration(): void {
    this.iteration = this.state.iteration + 1
    this.#durationMs.clear()
  }

  /** Numbers an event, and applies it to the state just as a resumed run would. */
  log(body: LoggedBody): LoggedEvent {
    const event: LoggedEvent = { ...body, seq: this.state.nextSeq, iteration: this.iteration }
    this.state.apply(event)
    return event
  }

  show(body: EphemeralBody): RunEvent {
    return { ...body, iteration: this.iteration }
  }

  /** Logs the bodies that belong in the log, and shows the rest. */
  async *relay<Result>(work: Work, bodies: AsyncGenerator<LoggedBody | EphemeralBody, Result, void>): Events<Result> {
    for (;;) {
      const start = this.ports.now()
      const next = await bodies.next()
      this.addTime(work, this.ports.now() - start)
      if (next.done) return next.value
      yield isEphemeral(next.value) ? this.show(next.value) : this.log(next.value)
    }
  }

  addTime(work: Work, durationMs: number): void {
    this.#durationMs.set(work, (this.#durationMs.get(work) ?? 0) + durationMs)
  }

  timingsEvent(work: { envSteps: number; sampledTokens: number }): RunEvent {
    const seconds = (name: Work) => (this.#durationMs.get(name) ?? 0) / 1000
    const syncs = (['sync_policy', 'sync_reward'] as const).filter((name) => this.#durationMs.has(name))
    return this.show({
      type: 'timings',
      metrics: finiteOnly({
        'timing_s/gen': seconds('gen'),
        'timing_s/judge': seconds('judge'),
        'timing_s/update_policy': seconds('update_policy'),
        'timing_s/update_reward': seconds('update_reward'),
        ...Object.fromEntries(syncs.map((name) => [`timing_s/${name}`, seconds(name)])),
        'timing_s/adapt': seconds('adapt'),
        'timing_s/eval': seconds('eval'),
        'timing_s/step': seconds('gen') + seconds('judge') + seconds('update') + seconds('adapt') + seconds('eval'),
        'perf/tokens_per_s': work.sampledTokens / (seconds('gen') + seconds('judge')),
        'perf/env_steps_per_s': work.envSteps / seconds('gen'),
      }),
    })
  }
}

function isEphemeral(body: LoggedBody | EphemeralBody): body is EphemeralBody {
  return body.type === 'progress' || body.type === 'step' || body.type === 'timings'
}
