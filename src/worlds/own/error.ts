/** A world from a file cannot be used: its message names the missing or wrong part, and says what it should be. */
export class OwnWorldError extends Error {
  override readonly name = 'OwnWorldError'
}
