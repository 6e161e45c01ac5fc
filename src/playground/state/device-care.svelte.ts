/**
 * Whether runs spare this device: with one worker for each model, and with rests when it gets slow; and whether the preset for phones
 * comes with it, which the reader may replace. Small devices are asked once; nothing changes until the answer. It is kept in this browser.
 */
import { readLocal, writeLocal } from '../kit/local-text.ts'

const KEY = 'playground.device-care'
const ANSWERS = ['spare', 'spare-with-another-preset', 'all'] as const

export class DeviceCare {
  readonly #isSmall: boolean
  #answer = $state.raw<(typeof ANSWERS)[number] | null>(null)

  constructor(isSmall: boolean) {
    this.#isSmall = isSmall
    const kept = readLocal(KEY)
    this.#answer = ANSWERS.find((answer) => answer === kept) ?? null
  }

  get isSparing(): boolean {
    return this.#answer !== null && this.#answer !== 'all'
  }
  get prefersPhonePreset(): boolean {
    return this.#answer === 'spare'
  }
  /** Whether to ask. */
  get isOpen(): boolean {
    return this.#isSmall && this.#answer === null
  }

  choose(isSparing: boolean): void {
    this.#keep(isSparing ? 'spare' : 'all')
  }

  /** Remembers which preset was chosen while the device is spared. */
  preferPhonePreset(isPreferred: boolean): void {
    if (this.isSparing) this.#keep(isPreferred ? 'spare' : 'spare-with-another-preset')
  }

  #keep(answer: (typeof ANSWERS)[number]): void {
    this.#answer = answer
    writeLocal(KEY, answer)
  }
}
