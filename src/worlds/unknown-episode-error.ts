/** Thrown when a step names an episode that was never reset or is over. */
export class UnknownEpisodeError extends Error {
  constructor(readonly episodeId: string) {
    super(`There is no running episode "${episodeId}": it was not reset, or it is over. Reset it before stepping it.`)
    this.name = 'UnknownEpisodeError'
  }
}
