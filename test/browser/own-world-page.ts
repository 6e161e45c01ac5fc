/** Brings worlds from files and their models to the page. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'

export async function dropWorld(page: Page, name: string, source: string): Promise<void> {
  await page.evaluate(
    ([name, source]) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([source!], name!))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    [name, source],
  )
}

/** Makes folders of tiny models for these worlds, and gives a function that brings one to the page. */
export function useModels(worlds: readonly string[]): (page: Page, name: string) => Promise<void> {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'own-page-'))
    const tiny = await writeTinyModels()
    for (const name of worlds)
      for (const role of ['policy', 'reward', 'author'])
        cpSync(join(tiny, `own-${role}`), join(folder, `${name}.models`, `own-${role}`), { recursive: true })
    rmSync(tiny, { recursive: true })
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  return async (page, name) => {
    await page.getByLabel('Folder of models').setInputFiles(join(folder, `${name}.models`))
    await page
      .getByText(new RegExp(`Small models of ${name}.models \\(version [0-9a-f]{8}\\) play and learn`))
      .waitFor()
  }
}
