/** Opens every view by its link and draws it in each look. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { ShippedWorld } from '../../method/settings.ts'
import { SHIPPED_WORLDS } from '../../worlds/index.ts'
import { ArgumentError } from '../arguments.ts'
import { readAddresses } from '../page/addresses.ts'
import { withBuiltPage } from '../page/visitor.ts'
import { LOOK_NAMES, LOOKS, MAIN_LOOKS, type Look, type LookName } from './looks.ts'

export interface ScreenshotPlan {
  folder: string
  /** All if undefined. */
  views: readonly string[] | undefined
  worlds: readonly ShippedWorld[] | undefined
  looks: readonly LookName[] | undefined
  /** Whether folded parts are opened first. */
  isUnfolded: boolean
  /** Milliseconds between two looks at the page, of which some must find nothing changed before it is drawn. */
  pauseMs?: number
}

/** Long enough for what loads in between. */
const PAUSE_MS = 400
/** Pauses in which nothing must change. */
const STILL_PAUSES = 4
/** Pauses after which an animation that never ends is drawn as it is. */
const MOST_PAUSES = 75

/** Calls `onFile` with the path of each picture. Throws ArgumentError for a view that the page does not have. */
export async function takeScreenshots(
  { folder, views, worlds = SHIPPED_WORLDS, looks, isUnfolded, pauseMs = PAUSE_MS }: ScreenshotPlan,
  onFile: (path: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await withBuiltPage(async (browser, address) => {
    const guide = await openAt(browser, LOOKS['wide-light'])
    const addresses = await readAddresses(guide, address)
    await guide.close()
    const unknown = views?.find((view) => !addresses.views.includes(view))
    if (unknown !== undefined)
      throw new ArgumentError(`--views must be some of ${addresses.views.join(', ')}, not "${unknown}".`)
    for (const world of worlds) {
      const ofWorld = looks ?? (world === SHIPPED_WORLDS[0] ? LOOK_NAMES : MAIN_LOOKS)
      for (const look of ofWorld) {
        const page = await openAt(browser, LOOKS[look])
        for (const view of views ?? addresses.views) {
          await page.goto('about:blank')
          await page.goto(addresses.of(view, world))
          await untilStill(page, pauseMs)
          if (isUnfolded) while (await unfold(page)) await untilStill(page, pauseMs)
          await unroll(page)
          const path = join(folder, `${world}-${view}-${look}${isUnfolded ? '-unfolded' : ''}.png`)
          await page.screenshot({ path, fullPage: true })
          onFile(path)
        }
        await page.context().close()
      }
    }
  })
}

async function openAt(browser: Browser, look: Look): Promise<Page> {
  const { width, height, scale = 1, ...media } = look
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport: { width, height },
    deviceScaleFactor: scale,
    ...media,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  return page
}

/** Opens what is folded. Returns whether anything was; what it shows may have folded parts, too. */
function unfold(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const folded = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')]
    const shown = folded.filter((details) => details.checkVisibility())
    for (const details of shown) details.open = true
    return shown.length > 0
  })
}

/** Draws rows that no window shows yet, and lets nothing follow the window: what it keeps at an edge would cover what is in the middle. */
async function unroll(page: Page): Promise<void> {
  await page.addStyleTag({ content: '* { content-visibility: visible !important }' })
  await page.evaluate(() => {
    const { scrollHeight } = document.documentElement
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const { position, bottom } = getComputedStyle(element)
      if (position === 'sticky') Object.assign(element.style, { position: 'relative', inset: 'auto' })
      if (position !== 'fixed' || bottom !== '0px') continue
      const top = `${scrollHeight - element.offsetHeight}px`
      Object.assign(element.style, { position: 'absolute', top, bottom: 'auto' })
    }
  })
}

/** Waits until the page's text and height stay the same for a while. */
async function untilStill(page: Page, pauseMs: number): Promise<void> {
  await page.locator('main').waitFor()
  let seen = ''
  let still = 0
  for (let pause = 0; still < STILL_PAUSES && pause < MOST_PAUSES; pause++) {
    await page.waitForTimeout(pauseMs)
    const now = await page.evaluate(() => `${document.body.scrollHeight} ${document.body.innerText}`)
    still = now === seen ? still + 1 : 0
    seen = now
  }
}
