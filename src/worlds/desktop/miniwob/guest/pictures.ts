/**
 * Waits for the pictures of a page, which all come with it as data. A picture that has not loaded takes no room: what is beside it
 * is elsewhere, and an icon is not there at all (WebKit loads those of style sheets when they are first shown).
 *
 * This function is sent to the page as text, so it refers to nothing outside of itself.
 */
export interface GuestPictures {
  /** Resolves once the style sheets' pictures have loaded, or failed to. */
  ofStyles(): Promise<void>
  /** Likewise the pictures in the page as it is now. */
  onPage(): Promise<void>
}

export function awaitPictures(): GuestPictures {
  const OF_STYLE = /url\(\s*["']?(data:image\/[^"')]+)/g
  const OwnImage = Image
  /** The browser may discard what nothing refers to. */
  const kept: HTMLImageElement[] = []
  const loaded = (images: readonly HTMLImageElement[]) =>
    Promise.all(images.map((image) => image.decode().catch(() => undefined))).then(() => undefined)
  return {
    ofStyles() {
      const texts = Array.from(document.querySelectorAll('style'), ({ textContent }) => textContent)
      const addresses = texts.flatMap((text) => Array.from(text.matchAll(OF_STYLE), ([, address]) => address!))
      for (const address of new Set(addresses)) {
        const image = new OwnImage()
        image.src = address
        kept.push(image)
      }
      return loaded(kept)
    },
    onPage: () => loaded(Array.from(document.images).filter(({ complete }) => !complete)),
  }
}
