/** The settings on the controls: the next run starts with them, and a live run takes some of them over at once. */
import { DEFAULT_PRESET, parseSettings, presetSettings } from '../../method/presets.ts'
import { isLiveSetting, LIVE_SETTINGS, SettingsError, type LivePatch, type Settings } from '../../method/settings.ts'
import type { BackendWish } from '../../sessions/loop-service.ts'
import { DEFAULT_ITERATIONS, MOST_ITERATIONS, type Configuration } from '../run/configuration.ts'

export class DraftSettings {
  #backend = $state.raw<BackendWish>('auto')
  #iterations = $state.raw(DEFAULT_ITERATIONS)
  #preset = $state.raw<string>(DEFAULT_PRESET)
  #values = $state.raw<Settings>(presetSettings(DEFAULT_PRESET))
  #error = $state.raw<{ field: string; message: string } | null>(null)
  #isForNextRun = $state.raw(false)
  #replaced = $state.raw<{ content: Configuration; isForNextRun: boolean } | null>(null)

  /** What computes the next run. */
  get backend(): BackendWish {
    return this.#backend
  }
  /** How many the next run has. */
  get iterations(): number {
    return this.#iterations
  }
  get preset(): string {
    return this.#preset
  }
  get values(): Settings {
    return this.#values
  }
  /** What is wrong with the value entered last; `values` still has the one before. */
  get error(): { field: string; message: string } | null {
    return this.#error
  }
  get base(): Settings {
    return presetSettings(this.#preset)
  }

  /** Settings made by hand that a preset, a link, a lesson or a resumed run replaced. Null if nothing was lost. */
  get replaced(): Configuration | null {
    return this.#replaced?.content ?? null
  }

  /** Whether they are for the next run alone, as a link's are: the run in this tab takes no changes of them. */
  get isForNextRun(): boolean {
    return this.#isForNextRun
  }
  /** The run in this tab takes changes of them. */
  steer(): void {
    this.#isForNextRun = false
  }

  /** The values that a run can take over while it runs. */
  get liveValues(): LivePatch {
    return Object.fromEntries(LIVE_SETTINGS.map((name) => [name, this.#values[name]]))
  }

  choosePreset(preset: string): void {
    this.adopt(preset, presetSettings(preset))
  }

  /** Swaps the controls and what was replaced, with the runs that each is for. */
  restore(): void {
    if (this.#replaced) this.#put(this.#replaced.content, this.#replaced.isForNextRun)
  }

  chooseBackend(backend: BackendWish): void {
    this.#backend = backend
  }

  /** Rounds the number and clamps it to the valid range. */
  chooseIterations(iterations: number): void {
    if (Number.isFinite(iterations)) this.#iterations = Math.min(MOST_ITERATIONS, Math.max(1, Math.round(iterations)))
  }

  get content(): Configuration {
    return { preset: this.#preset, settings: this.#values, backend: this.#backend, iterations: this.#iterations }
  }

  /** Puts a link's configuration on the controls, for the next run. */
  follow(content: Configuration): void {
    this.#put(content, true)
  }

  #put({ preset, settings, backend, iterations }: Configuration, isForNextRun: boolean): void {
    this.adopt(preset, settings)
    this.#backend = backend
    this.#iterations = iterations
    this.#isForNextRun = isForNextRun
  }

  /** Puts other settings on the controls. Those made by hand last can be restored, until they are on the controls again. */
  adopt(preset: string, settings: Settings): void {
    const isOwn = JSON.stringify(this.#values) !== JSON.stringify(this.base)
    const isOther = JSON.stringify(this.#values) !== JSON.stringify(settings)
    if (isOwn && isOther) this.#replaced = { content: this.content, isForNextRun: this.#isForNextRun }
    else if (JSON.stringify(this.#replaced?.content.settings) === JSON.stringify(settings)) this.#replaced = null
    this.#preset = preset
    this.#values = settings
    this.#error = null
  }

  /** Puts the settings of a run back on the controls. */
  returnTo(preset: string, settings: Settings): void {
    this.adopt(preset, settings)
    this.steer()
  }

  /** Puts values back that a live run keeps because it refused others. */
  takeBack(kept: LivePatch): void {
    this.#values = { ...this.#values, ...kept }
  }

  /** Returns the change for a live run; null if the value is invalid or takes effect with the next run. */
  set<K extends keyof Settings>(name: K, value: Settings[K]): LivePatch | null {
    try {
      this.#values = parseSettings({ ...this.#values, [name]: value }, this.#preset)
      this.#error = null
      return isLiveSetting(name) ? { [name]: value } : null
    } catch (cause) {
      if (!(cause instanceof SettingsError)) throw cause
      this.#error = { field: name, message: cause.message }
      return null
    }
  }
}
