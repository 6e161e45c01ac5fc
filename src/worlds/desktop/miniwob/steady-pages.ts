/**
 * Pages that survive another page that hangs. Frames of one kind share a process, and an endless loop runs in it until its last frame is
 * removed, so all of them are removed. The other pages are opened again and repeat all their commands: the same seed
 * and commands lead to the same place.
 */
import { NeighbourError, type OpenPage, type PageRequest, type PageView } from './protocol.ts'

/** Neighbours that may hang at one question. */
const MOST_RETURNS = 10

export function steadyPages(open: OpenPage): OpenPage {
  return async (document) => {
    const asked: PageRequest[] = []
    let isClosed = false
    let page = await again(() => open(document))
    return {
      async ask(request) {
        asked.push(request)
        let isFirst = true
        return again(async () => {
          if (isFirst) {
            isFirst = false
            return page.ask(request)
          }
          page = await open(document)
          // It was closed while it was opened.
          if (isClosed) page.close()
          let view: PageView | null = null
          for (const question of asked) view = await page.ask(question)
          return view!
        })
      },
      close() {
        isClosed = true
        page.close()
      },
    }
  }
}

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let returns = 0; ; returns++) {
    try {
      return await attempt()
    } catch (cause) {
      if (!(cause instanceof NeighbourError) || returns >= MOST_RETURNS) throw cause
    }
  }
}
