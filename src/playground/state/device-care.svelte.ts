/**
 * Whether runs spare this device: with one worker for each model, and with rests when it gets slow. Nobody else chooses that: a
 * small device is only asked, until its reader has answered. The answer is kept in this browser.
 */
import { readLocal, writeLocal } from '../kit/local-text.ts'

const KEY = 'playground.device-care'
const ANSWERS = ['spare', 'all'] as const

export class DeviceCare {
  readonly #isSmall: boolean
  #answer = $state.raw<(typeof ANSWERS)[number] | null>(null)

  constructor(isSmall: boolean) {
    this.#isSmall = isSmall
    const kept = readLocal(KEY)
    this.#answer = ANSWERS.find((answer) => answer === kept) ?? null
  }

  get isSparing(): boolean {
    return this.#answer === 'spare'
  }
  /** Whether to ask. */
  get isOpen(): boolean {
    return this.#isSmall && this.#answer === null
  }

  choose(isSparing: boolean): void {
    this.#answer = isSparing ? 'spare' : 'all'
    writeLocal(KEY, this.#answer)
  }
}
