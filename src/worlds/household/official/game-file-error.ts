/** A file that holds no game, or none that can be played here. The message is one sentence: what is wrong with it. */
export class GameFileError extends Error {
  override readonly name = 'GameFileError'
}
