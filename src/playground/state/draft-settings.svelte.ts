/** The settings on the controls: what the next run starts with, and what a run that is under way is told. */
import {
  DEFAULT_PRESET,
  isLiveSetting,
  LIVE_SETTINGS,
  parseSettings,
  presetSettings,
  SettingsError,
  type LivePatch,
  type Settings,
} from '../../method/settings.ts'
import type { BackendWish } from '../../sessions/loop-service.ts'
import { DEFAULT_ITERATIONS, MOST_ITERATIONS, type Configuration } from '../run/configuration.ts'

export class DraftSettings {
  #backend = $state.raw<BackendWish>('auto')
  #iterations = $state.raw(DEFAULT_ITERATIONS)
  #preset = $state.raw<string>(DEFAULT_PRESET)
  #values = $state.raw<Settings>(presetSettings(DEFAULT_PRESET))
  #error = $state.raw<{ field: string; message: string } | null>(null)
  #replaced = $state.raw<Configuration | null>(null)

  /** What computes the next run. */
  get backend(): BackendWish {
    return this.#backend
  }
  /** After which the next run ends by itself. */
  get iterations(): number {
    return this.#iterations
  }
  get preset(): string {
    return this.#preset
  }
  get values(): Settings {
    return this.#values
  }
  /** What is wrong with the value that was last tried; `values` still has the one before. */
  get error(): { field: string; message: string } | null {
    return this.#error
  }
  get base(): Settings {
    return presetSettings(this.#preset)
  }

  /**
   * What a preset, a link, a lesson or a resumed run has taken the place of, where somebody had made it by hand: nothing else
   * brings it back. Null where nothing would be lost.
   */
  get replaced(): Configuration | null {
    return this.#replaced
  }

  /** Returns what a run under way can take over at once. */
  choosePreset(preset: string): LivePatch {
    const before = this.#values
    this.adopt(preset, presetSettings(preset))
    return this.#liveChanges(before)
  }

  /** Puts back what was replaced, which takes its place. Returns what a run under way can take over at once. */
  takeBack(): LivePatch {
    const before = this.#values
    if (this.#replaced) this.follow(this.#replaced)
    return this.#liveChanges(before)
  }

  chooseBackend(backend: BackendWish): void {
    this.#backend = backend
  }

  /** Rounded, and brought into the range that a run may have. */
  chooseIterations(iterations: number): void {
    if (Number.isFinite(iterations)) this.#iterations = Math.min(MOST_ITERATIONS, Math.max(1, Math.round(iterations)))
  }

  /** All of what the next run starts with, as a link has it. */
  get content(): Configuration {
    return { preset: this.#preset, settings: this.#values, backend: this.#backend, iterations: this.#iterations }
  }

  follow({ preset, settings, backend, iterations }: Configuration): void {
    this.adopt(preset, settings)
    this.#backend = backend
    this.#iterations = iterations
  }

  /** Shows the settings of a run that goes on. */
  adopt(preset: string, settings: Settings): void {
    const isOwn = JSON.stringify(this.#values) !== JSON.stringify(this.base)
    const isOther = JSON.stringify(this.#values) !== JSON.stringify(settings)
    if (isOther) this.#replaced = isOwn ? this.content : null
    this.#preset = preset
    this.#values = settings
    this.#error = null
  }

  #liveChanges(before: Settings): LivePatch {
    return Object.fromEntries(
      LIVE_SETTINGS.filter((name) => before[name] !== this.#values[name]).map((name) => [name, this.#values[name]]),
    )
  }

  /** Returns what a run under way has to be told: null if the value is wrong or only counts from the next run. */
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
