/** The settings of the run in this tab as the page has asked for them. */
import type { LivePatch, LiveSetting, Settings, World } from '../../method/settings.ts'

interface RunContent {
  preset: string
  settings: Settings
}

export class SteeredRun {
  /** With all changes sent to the run, also those that wait for its next iteration; null while its settings are unknown. */
  #asked = $state.raw<RunContent | null>(null)
  /** With the changes that the run accepted. */
  #accepted: LivePatch = {}

  /** Preset and settings of the run; null if it plays another world or its settings are unknown. */
  contentIn(world: World): RunContent | null {
    return this.#asked?.settings.world === world ? this.#asked : null
  }

  /** Another run begins; null until its settings are known. */
  begin(content: RunContent | null): void {
    this.#asked = content
    this.#accepted = content?.settings ?? {}
  }

  /** The part of a patch that was not asked for yet. */
  changesIn(patch: LivePatch): LivePatch {
    return this.#pick(patch, (name) => this.#asked !== null && patch[name] !== this.#asked.settings[name])
  }

  ask(changes: LivePatch): void {
    this.#change(changes)
  }

  accept(changes: LivePatch): void {
    this.#accepted = { ...this.#accepted, ...changes }
  }

  /** Returns the values that the run keeps, except for settings that another change was sent for meanwhile. */
  refuse(changes: LivePatch): LivePatch {
    const kept = this.#pick(this.#accepted, (name) => name in changes && changes[name] === this.#asked?.settings[name])
    this.#change(kept)
    return kept
  }

  #change(changes: LivePatch): void {
    if (this.#asked) this.#asked = { ...this.#asked, settings: { ...this.#asked.settings, ...changes } }
  }

  #pick(patch: LivePatch, isWanted: (name: LiveSetting) => boolean): LivePatch {
    return Object.fromEntries(Object.entries(patch).filter(([name]) => isWanted(name as LiveSetting)))
  }
}
