/**
 * Tells a device that has become slow from one whose iterations merely differ. Browsers do not report heat, but a hot phone lowers
 * its clock, often to half and for as long as it is busy.
 */

/** Share of the best pace of the run below which an iteration counts as slow. */
const SLOW = 0.5
/** A single slow iteration may have another cause, such as a call or an app that opens. */
const SLOW_IN_A_ROW = 2
/** If so many rests do not help, the cause is not heat: the models write longer texts, or another app needs the processor. */
const MOST_VAIN_RESTS = 3

export class Pace {
  #best = 0
  #slow = 0
  #vainRests = 0

  /** Takes the pace of an iteration. True if the device needs a rest. */
  take(tokensPerSecond: number): boolean {
    if (tokensPerSecond >= SLOW * this.#best) {
      this.#best = Math.max(this.#best, tokensPerSecond)
      this.#slow = this.#vainRests = 0
      return false
    }
    this.#slow++
    if (this.#slow < SLOW_IN_A_ROW) return false
    this.#slow = 0
    this.#vainRests++
    if (this.#vainRests <= MOST_VAIN_RESTS) return true
    this.#best = tokensPerSecond
    this.#vainRests = 0
    return false
  }
}
