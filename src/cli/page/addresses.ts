/** Links to the page's views in each world, read from the page itself. */
import type { Page } from 'playwright-core'
import type { ShippedWorld } from '../../method/settings.ts'
import { SHIPPED_WORLDS, WORLDS } from '../../worlds/index.ts'

export interface Addresses {
  /** Names of all views, in the order of the navigation. */
  views: readonly string[]
  /** The link that opens a view in a world. */
  of(view: string, world: ShippedWorld): string
}

/** Visits the page at `address`, in a window wide enough for the choice of a world. */
export async function readAddresses(page: Page, address: string): Promise<Addresses> {
  await page.goto(new URL('#loop', address).href)
  const links = new Map<ShippedWorld, string>()
  for (const world of SHIPPED_WORLDS) {
    const choice = page.getByRole('radio', { name: WORLDS[world].title, exact: true })
    // The page opens in one world, and writes into its address only what differs from that.
    if (await choice.isChecked()) continue
    const before = page.url()
    await choice.check()
    await page.waitForURL((url) => url.hash.startsWith('#v1.') && url.href !== before)
    links.set(world, page.url())
  }
  const views: string[] = []
  for (const group of await page.getByRole('navigation', { name: 'Views', exact: true }).getByRole('link').all()) {
    await group.click()
    await group.and(page.locator('[aria-current]')).waitFor()
    const tabs = page.getByRole('navigation', { name: /^Views under/ }).getByRole('link')
    const shown = (await tabs.count()) > 0 ? await tabs.all() : [group]
    for (const link of shown) views.push((await link.getAttribute('href'))!.slice(1))
  }
  return {
    views,
    of(view, world) {
      const link = links.get(world)
      return new URL(link === undefined ? `#${view}` : `${new URL(link).hash}&view=${view}`, address).href
    },
  }
}
