/** What the page shows: the recorded run or the live one, and the verbs of its buttons and keys. */
import type { Component } from '../../method/loop-contract.ts'
import type { Settings } from '../../method/settings.ts'
import type { Phase } from '../../method/events.ts'
import type { RunView } from '../../method/fold.ts'
import type { StartRequest } from '../../runs/loop-service.ts'
import type { OpenSession } from '../session-port.ts'
import { newRunId } from '../run-id.ts'
import { DraftSettings } from './draft-settings.svelte.ts'
import { RecordedRun } from './recorded-run.svelte.ts'
import { RunSession } from './run-session.svelte.ts'

/** Iterations that Run asks for. */
const RUN_ITERATIONS = 200
const RECORDING = ['./runs/household.jsonl.gz', './runs/household.jsonl']

export class Playground {
  readonly draft = new DraftSettings()
  readonly recorded = new RecordedRun()
  readonly live: RunSession
  #source = $state.raw<'recorded' | 'live'>('recorded')
  #hasLiveRun = $state.raw(false)

  constructor(open: OpenSession) {
    this.live = new RunSession(open)
  }

  get source(): 'recorded' | 'live' {
    return this.#source
  }
  get hasRecording(): boolean {
    return this.recorded.state === 'ready'
  }
  get hasLiveRun(): boolean {
    return this.#hasLiveRun
  }
  get view(): RunView {
    return this.#source === 'recorded' ? this.recorded.view : this.live.view
  }
  get phase(): Phase | null {
    return this.#source === 'recorded' ? this.recorded.phase : this.live.phase
  }

  async open(): Promise<void> {
    await this.recorded.load(RECORDING)
    if (this.recorded.state !== 'ready' && this.#source === 'recorded') this.#source = 'live'
  }

  show(source: 'recorded' | 'live'): void {
    this.recorded.pause()
    this.#source = source
  }

  async runOrPause(): Promise<void> {
    this.show('live')
    this.#hasLiveRun = true
    if (this.live.isBusy) await this.live.pause()
    else if (this.live.status.state === 'paused') await this.live.resume()
    else await this.live.start(this.#request())
  }

  async step(only?: Component): Promise<void> {
    if (this.live.isBusy) return
    this.show('live')
    this.#hasLiveRun = true
    await this.live.stepOnce(only, this.#request())
  }

  toggleReplay(): void {
    if (this.recorded.isPlaying) this.recorded.pause()
    else void this.recorded.play()
  }

  choosePreset(preset: string): void {
    const patch = this.draft.choosePreset(preset)
    if (Object.keys(patch).length > 0) void this.live.patch(patch)
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    const patch = this.draft.set(name, value)
    if (patch) void this.live.patch(patch)
  }

  /** Space and full stop act on what is shown: the replay, or the live run. */
  pressRun(): void {
    if (this.#source === 'recorded') this.toggleReplay()
    else void this.runOrPause()
  }

  pressStep(): void {
    if (this.#source === 'recorded') void this.recorded.seek(this.recorded.iteration + 1)
    else void this.step()
  }

  pressBack(): void {
    if (this.#source === 'recorded') void this.recorded.seek(this.recorded.iteration - 1)
  }

  #request(): StartRequest {
    return { runId: newRunId(), preset: this.draft.preset, settings: this.draft.values, iterations: RUN_ITERATIONS }
  }
}
