/** Brings a wheel of our own task pages to the page. */
import type { Frame, Page } from 'playwright-core'
import { smallWheel } from '../worlds/desktop/miniwob/small-wheel.ts'
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

/** Bytes of the wheel; `address` is where its page reach-out asks. */
export async function wheelBytes(address: string): Promise<Uint8Array> {
  const wheel = await smallWheel(address)
  return new Uint8Array(await wheel.arrayBuffer())
}

/** Drops the wheel and waits until its pages are checked. */
export async function giveWheel(page: Page, address: string): Promise<void> {
  await drop(page, { 'miniwob-9.9-py3-none-any.whl': await wheelBytes(address) })
  await page.getByText('4 of 10 pages run.').waitFor()
}
