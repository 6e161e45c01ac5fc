/** A file contains no game that can be played here. The message says what is wrong with it in one sentence. */
export class GameFileError extends Error {
  override readonly name = 'GameFileError'
}
