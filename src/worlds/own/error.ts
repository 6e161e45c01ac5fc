/** A world from a file cannot be used: its message names the missing or wrong part, and says what it should be. */
export class OwnWorldError extends Error {
  override readonly name = 'OwnWorldError'
}

/** A run in a world of one's own was started without a file. */
export class NoWorldFileError extends Error {
  override readonly name = 'NoWorldFileError'

  constructor() {
    super('No file of a world is on this page.')
  }
}
