/** Brings a wheel of our own task pages to the page. */
import type { Frame, Page } from 'playwright-core'
import { CORE_FILES, pageFiles, wheelOf } from '../worlds/desktop/miniwob/small-wheel.ts'
import { goTo } from './views.ts'

/** Drops files together, by name. */
export async function drop(page: Page | Frame, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const texts = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')] as const)
  await page.evaluate((texts) => {
    const dataTransfer = new DataTransfer()
    for (const [name, text] of texts) {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
      dataTransfer.items.add(new File([bytes], name))
    }
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }, texts)
}

export async function lookAtDesktop(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Desktop', exact: true }).check()
  await goTo(page, 'Games and problems')
}

/** Bytes of a wheel with each kind of page; `address` is where its page reach-out asks. Its page hangs is tried twice, 10 s each. */
export const wheelBytes = (address: string): Promise<Uint8Array> => bytesOf(pageFiles(address))

/** The same wheel without the page hangs. */
export const quickWheelBytes = (address: string): Promise<Uint8Array> =>
  bytesOf(Object.fromEntries(Object.entries(pageFiles(address)).filter(([path]) => !path.endsWith('/hangs.html'))))

async function bytesOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const wheel = await wheelOf({ ...CORE_FILES, ...files })
  return new Uint8Array(await wheel.arrayBuffer())
}

/** Drops the quick wheel and waits until its pages are checked. */
export async function giveWheel(page: Page, address: string): Promise<void> {
  await drop(page, { 'miniwob-9.9-py3-none-any.whl': await quickWheelBytes(address) })
  await page.getByText(QUICK_RESULT).waitFor()
}

/** What the page says once the pages of the quick wheel are checked. */
export const QUICK_RESULT = '4 of 9 pages run.'
