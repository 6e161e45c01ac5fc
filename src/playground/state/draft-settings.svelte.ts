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
import type { BackendWish } from '../../runs/loop-service.ts'
import { DEFAULT_ITERATIONS, MOST_ITERATIONS, type LinkContent } from '../link.ts'

export class DraftSettings {
  #backend = $state.raw<BackendWish>('auto')
  #iterations = $state.raw(DEFAULT_ITERATIONS)
  #preset = $state.raw<string>(DEFAULT_PRESET)
  #values = $state.raw<Settings>(presetSettings(DEFAULT_PRESET))
  #error = $state.raw<{ field: string; message: string } | null>(null)

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

  /** Returns what a run under way can take over at once. */
  choosePreset(preset: string): LivePatch {
    const before = this.#values
    this.#preset = preset
    this.#values = presetSettings(preset)
    this.#error = null
    return Object.fromEntries(
      LIVE_SETTINGS.filter((name) => before[name] !== this.#values[name]).map((name) => [name, this.#values[name]]),
    )
  }

  chooseBackend(backend: BackendWish): void {
    this.#backend = backend
  }

  /** Rounded, and brought into the range that a run may have. */
  chooseIterations(iterations: number): void {
    if (Number.isFinite(iterations)) this.#iterations = Math.min(MOST_ITERATIONS, Math.max(1, Math.round(iterations)))
  }

  /** All of what the next run starts with, as a link has it. */
  get content(): LinkContent {
    return { preset: this.#preset, settings: this.#values, backend: this.#backend, iterations: this.#iterations }
  }

  follow({ preset, settings, backend, iterations }: LinkContent): void {
    this.adopt(preset, settings)
    this.#backend = backend
    this.#iterations = iterations
  }

  /** Shows the settings of a run that goes on. */
  adopt(preset: string, settings: Settings): void {
    this.#preset = preset
    this.#values = settings
    this.#error = null
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
