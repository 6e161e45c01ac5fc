/** Games that a person made, in this browser. */
import type { HouseholdGame } from '../../../worlds/household/engine/game.ts'
import { IndexedDbGameLibrary, OWN_GAMES } from '../../../worlds/household/library/indexeddb-library.ts'
import { MadeThings } from '../made/made-things.svelte.ts'

export type OwnGames = MadeThings<HouseholdGame>

export function openOwnGames(): OwnGames {
  const library = new IndexedDbGameLibrary(OWN_GAMES)
  const list = async () => {
    const ids = (await library.list()).map(({ id }) => id)
    return (await library.get(ids)).map(({ game }) => game)
  }
  const put = (game: HouseholdGame) => library.put([{ id: game.id, split: 'train', game, walkthrough: [] }])
  return new MadeThings({ list, put, remove: (id) => library.remove(id) }, 'household-own-games')
}
