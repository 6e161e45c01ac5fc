/** Imported games on the page: dropping, storing, choosing for a run, and playing by hand. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { gameTitle } from '../../src/playground/worlds/household/games.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { gameFiles, isLeftOut, noGameFiles } from '../worlds/household/official-data.ts'
import { writtenGame, type WrittenGame } from '../worlds/household/library/game-file.ts'
import { openSettings, pressDownload } from './controls.ts'
import { downloaded, usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { expectFreeMainThread } from './free-main-thread.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages({ isAlone: true })
let context: BrowserContext

const games: readonly WrittenGame[] = [
  ...[1, 2, 3, 4].map((seed) => writtenGame(seed, 'train')),
  ...[5, 6].map((seed) => writtenGame(seed, 'valid_seen')),
  writtenGame(7, 'valid_unseen'),
]
const idOf = ({ path }: WrittenGame) => path.split('/').slice(2, 4).join('/')

async function newContext(options: BrowserContextOptions = {}): Promise<void> {
  context = await pages.newContext(options)
  await withoutRecordings(context)
}

/** Reuses the previous page's context, if any. */
async function visit(): Promise<Page> {
  const page = await pages.open(context)
  await page.goto(new URL('#games', inject('pageAddress')).href)
  await page.getByRole('group', { name: 'The next run plays', exact: true }).waitFor()
  return page
}

interface Upload {
  name: string
  buffer: Buffer
}

async function zipOf(files: readonly { path: string; text: string }[], name = 'games.zip'): Promise<Upload> {
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const { path, text } of files) await zip.add(path, new TextReader(text))
  return { name, buffer: Buffer.from(await zip.close()) }
}

async function drop(page: Page, files: readonly Upload[]): Promise<void> {
  await page.evaluate(
    (given) => {
      const dataTransfer = new DataTransfer()
      for (const { name, content } of given) {
        const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))
        dataTransfer.items.add(new File([bytes], name))
      }
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    files.map(({ name, buffer }) => ({ name, content: buffer.toString('base64') })),
  )
}

/** Rows of the table of imported games: [task type, counts of each split…, all]. */
async function counts(page: Page): Promise<string[][]> {
  const rows = page.getByRole('table', { name: 'Imported games by task type and split' }).getByRole('row')
  return Promise.all((await rows.all()).map((row) => row.locator('th, td').allTextContents()))
}
const total = async (page: Page) => (await counts(page)).at(-1)

const choice = (page: Page, name: string) => page.getByRole('radio', { name })
const settled = (page: Page, words: string | RegExp) => page.getByText(words).waitFor()

async function openHousehold(page: Page): Promise<void> {
  await openSettings(page)
  await page.locator('summary', { hasText: 'Household' }).click()
}

async function openGame(page: Page, { path }: WrittenGame): Promise<void> {
  await page.getByText('Look at a game and play it by hand').click()
  await page.getByRole('searchbox', { name: 'Search' }).fill(path.split('/')[3]!)
  await page
    .getByRole('list', { name: 'Games' })
    .getByRole('button', { name: gameTitle(idOf({ path } as WrittenGame)) })
    .click()
  await page.getByRole('log', { name: 'What happens' }).waitFor()
}

describe('games dropped on the page', () => {
  it('are counted, with other files named, and are stored once across reloads', async () => {
    await newContext()
    const page = await visit()
    expect(await choice(page, 'Official games').isDisabled()).toBe(true)
    await openHousehold(page)
    const setting = page.getByRole('combobox', { name: 'Games' }).first()
    expect(await setting.getByRole('option', { name: 'official' }).isDisabled()).toBe(true)
    await page.getByText('Official: import ALFWorld’s games first').waitFor()

    const damaged = { path: games[0]!.path.replace('trial_T1', 'trial_T99'), text: games[0]!.text.slice(0, 700) }
    const foreign = { name: 'notes.csv', buffer: Buffer.from('a,b\n1,2\n') }
    await drop(page, [await zipOf([...games, damaged]), foreign])
    await settled(page, '7 games read, all of them new.')
    expect((await counts(page))[0]).toEqual(['Task type', 'train', 'valid_seen', 'valid_unseen', 'all'])
    expect(await total(page)).toEqual(['all', '4', '2', '1', '7'])
    for (const [taskType, ...row] of (await counts(page)).slice(1, -1)) {
      const expected = games.filter(({ path }) => path.includes(`/${taskType}-`)).length
      expect(row.at(-1), taskType).toBe(String(expected))
    }
    await page.getByText('2 files could not be used').click()
    await page.getByText(damaged.path).waitFor()
    await page.getByText('It is not JSON').waitFor()
    await page.getByText('notes.csv').waitFor()

    await page.reload()
    await expect.poll(() => total(page)).toEqual(['all', '4', '2', '1', '7'])
    await drop(page, [await zipOf(games)])
    await settled(page, '7 games read, 0 of them new.')
    expect(await total(page)).toEqual(['all', '4', '2', '1', '7'])
    expect(await page.getByText('could not be used').count()).toBe(0)
  })

  it('are stored whole if the tab closes during the import; the next import adds the rest', async () => {
    const entriesOf = (page: Page) =>
      page.evaluate(
        () =>
          new Promise<number>((resolve, reject) => {
            const opening = indexedDB.open('rlanything-games')
            opening.onerror = () => reject(new Error('The page keeps no games.'))
            opening.onsuccess = () => {
              const counting = opening.result.transaction('entries').objectStore('entries').count()
              counting.onsuccess = () => {
                opening.result.close()
                resolve(counting.result)
              }
            }
          }),
      )
    /** Closes the tab as soon as it has stored any games. */
    const importedHalfway = async (zip: Upload) => {
      await newContext()
      const first = await visit()
      await drop(first, [zip])
      await expect.poll(() => entriesOf(first), { interval: 20 }).toBeGreaterThan(0)
      await first.close()
      const second = await visit()
      await expect.poll(async () => Number((await total(second))?.at(-1))).toBeGreaterThan(0)
      return { second, kept: Number((await total(second))?.at(-1)) }
    }
    const zipOfMany = (count: number) => zipOf(Array.from({ length: count }, (_, i) => writtenGame(i + 1, 'train')))
    let count = 400
    let zip = await zipOfMany(count)
    let { second, kept } = await importedHalfway(zip)
    // On a busy machine the tab may close after the last one was stored.
    while (kept === count && count < 6400) {
      zip = await zipOfMany((count *= 2))
      ;({ second, kept } = await importedHalfway(zip))
    }
    expect(kept).toBeLessThan(count)
    await drop(second, [zip])
    await settled(second, `${count} games read, ${count - kept} of them new.`)
    expect(await total(second)).toEqual(['all', String(count), String(count)])
  })

  it('are read from a folder on disk, skipping other files', async () => {
    await newContext()
    const page = await visit()
    const folder = await mkdtemp(join(tmpdir(), 'games-'))
    try {
      for (const { path, text } of [...games, { path: 'json_2.1.1/train/traj_data.json', text: '{}' }]) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
      // Uses the browser's own drag and drop, because a page cannot create a folder.
      const session = await context.newCDPSession(page)
      const data = { items: [], files: [join(folder, 'json_2.1.1')], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data })
        if (type === 'dragOver') await page.getByText('or ALFWorld games to import them').waitFor()
      }
      await settled(page, '7 games read, all of them new.')
      expect(await total(page)).toEqual(['all', '4', '2', '1', '7'])
      expect(await page.getByText('could not be used').count()).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('are read by a worker, so the main thread is never blocked for 50 ms of CPU time', async () => {
    await newContext()
    const page = await visit()
    const many = Array.from({ length: 600 }, (_, i) => writtenGame(i + 1, 'train'))
    const folder = await mkdtemp(join(tmpdir(), 'games-'))
    try {
      // A file on disk, because bytes passed by the test would be unpacked in the page.
      const zip = join(folder, 'games.zip')
      await writeFile(zip, (await zipOf(many)).buffer)
      await page.waitForLoadState('networkidle')
      await expectFreeMainThread(pages.browser, page, async () => {
        await page.getByLabel('Zip or game files').setInputFiles(zip)
        await settled(page, '600 games read')
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('do not prevent opening a run log dropped with them', async () => {
    await newContext()
    const page = await visit()
    const log = { name: 'mine.jsonl', buffer: Buffer.from('{"format":"rlanything-run","version":9}\n') }
    await drop(page, [log, await zipOf(games)])
    await settled(page, '7 games read, all of them new.')
    await page.getByRole('alert').getByText('the log has version 9').waitFor()
  })

  it('can be removed after confirmation', async () => {
    await newContext()
    const page = await visit()
    await page.getByLabel('Zip or game files').setInputFiles({ ...(await zipOf(games)), mimeType: 'application/zip' })
    await settled(page, '7 games read')
    await choice(page, 'Official games').check()
    await page.getByRole('button', { name: 'Remove all games…' }).click()
    await page.getByRole('button', { name: 'Keep them' }).click()
    expect(await total(page)).toEqual(['all', '4', '2', '1', '7'])
    await page.getByRole('button', { name: 'Remove all games…' }).click()
    await page.getByRole('button', { name: 'Remove 7 games' }).click()
    await page.getByRole('table', { name: 'Imported games' }).waitFor({ state: 'detached' })
    expect(await choice(page, 'Official games').isDisabled()).toBe(true)
    expect(await choice(page, 'Small rooms').isChecked()).toBe(true)
  })
})

describe('a run on official games', () => {
  it('plays the imported games, and continues with them at the next visit', async () => {
    await newContext()
    const first = await visit()
    await drop(first, [await zipOf(games)])
    await settled(first, '7 games read')
    await choice(first, 'Official games').check()
    await openHousehold(first)
    expect(await first.getByRole('combobox', { name: 'Games' }).first().inputValue()).toBe('official')
    await makeSmall(first)
    await first.getByRole('button', { name: 'Run', exact: true }).click()
    await goTo(first, 'Episodes')
    const tasks = first.getByRole('list', { name: 'Tasks of this iteration' }).getByRole('button')
    await tasks.first().waitFor({ timeout: 180_000 })
    const sentences = games.filter(({ path }) => path.includes('/train/')).map(({ sentence }) => sentence)
    const shown = await tasks.locator('.instruction').first().textContent()
    expect(sentences).toContain(shown)
    const chart = (page: Page) =>
      page.getByRole('img', { name: /^Policy accuracy\. .*training .* \(iterations 1 to ([3-9]|\d\d)\)/ })
    await goTo(first, 'Loop')
    await chart(first).waitFor({ timeout: 180_000 })
    await first.close()

    const second = await visit()
    const resume = second.getByRole('button', { name: /^Resume the run from iteration \d+$/ })
    await resume.waitFor()
    const from = Number(/\d+$/.exec((await resume.textContent())!)![0])
    await resume.click()
    await goTo(second, 'Loop')
    await expect
      .poll(
        async () => {
          const name = await second.getByRole('img', { name: /^Policy accuracy/ }).getAttribute('aria-label')
          return Number(/training .* \(iterations 1 to (\d+)\)/.exec(name ?? '')?.[1] ?? 0)
        },
        { timeout: 180_000 },
      )
      .toBeGreaterThan(from)
    await second.getByRole('button', { name: 'Pause', exact: true }).click()
    await second.getByText('Paused', { exact: true }).first().waitFor()
    const downloading = second.waitForEvent('download')
    await pressDownload(second)
    const log = parseRunLog(String(await downloaded(await downloading)))
    const drawn = log.flatMap((event) => (event.type === 'task-added' ? [event.task.id] : []))
    const train = games.filter(({ path }) => path.includes('/train/')).map(idOf)
    expect(drawn.length).toBeGreaterThan(0)
    for (const id of drawn) expect(train).toContain(id)
  })

  it('is refused before its models load if another tab has removed the games', async () => {
    await newContext()
    const page = await visit()
    await drop(page, [await zipOf(games)])
    await settled(page, '7 games read')
    await choice(page, 'Official games').check()
    const other = await visit()
    await other.getByRole('button', { name: 'Remove all games…' }).click()
    await other.getByRole('button', { name: 'Remove 7 games' }).click()
    await page.getByRole('table', { name: 'Imported games' }).waitFor({ state: 'detached' })
    const models: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/models/')) models.push(request.url())
    })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('The household could not be opened.').waitFor()
    await alert.getByText('none of the folders train, valid_seen, valid_unseen in this browser').waitFor()
    await alert.getByText('Import or make them under Set up, Games and problems').waitFor()
    expect(models).toEqual([])
  })
})

describe('a game played by hand', () => {
  it('is won by clicking and typing commands, like an agent’s', async () => {
    await newContext()
    const page = await visit()
    await drop(page, [await zipOf(games)])
    await settled(page, '7 games read')
    const game = games[0]!
    await openGame(page, game)
    const log = page.getByRole('log', { name: 'What happens' })
    await log.getByText(`Your task is to: ${game.sentence}`).waitFor()
    await page.getByText('Where everything is at the start').click()
    await page.getByText(`Goal: ${game.sentence}`).waitFor()
    await page.getByText(`The goal is ${game.walkthrough.length} commands away.`).waitFor()

    const line = page.getByRole('textbox', { name: 'Command' })
    await line.fill('dance')
    await line.press('Enter')
    await log.getByText('Nothing happens.', { exact: true }).waitFor()
    await page.getByRole('switch', { name: 'Explain refusals' }).check()
    await line.press('ArrowUp')
    expect(await line.inputValue()).toBe('dance')
    await line.press('Enter')
    await log.getByText(/^Nothing happens\. ./).waitFor()
    await page.getByText('2 commands of 50').waitFor()

    for (const [index, command] of game.walkthrough.entries()) {
      if (index % 2 === 0) await page.getByRole('button', { name: command, exact: true }).click()
      else {
        await line.fill(command)
        await line.press('Enter')
      }
    }
    await page
      .getByRole('status')
      .getByText(`Won in ${game.walkthrough.length + 2} commands.`)
      .waitFor()
    expect(await line.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByText('0 commands of 50').waitFor()
  })

  it('supports both dialects, and can be generated', async () => {
    await newContext()
    const page = await visit()
    await page.getByText('Look at a game and play it by hand').click()
    await page.getByRole('combobox', { name: 'Games' }).last().selectOption('full, generated')
    await page.getByLabel('Split').selectOption('out of distribution')
    await page.getByLabel('Task type').selectOption('pick_and_place_simple')
    await page
      .getByRole('list', { name: 'Games' })
      .getByRole('button', { name: /seed 2$/ })
      .click()
    await page.getByRole('button', { name: 'help', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Commands' }).selectOption('v1: put … in/on …')
    await page.getByRole('button', { name: 'help', exact: true }).waitFor({ state: 'detached' })
    const best = page.getByRole('button', { name: 'Play the best command' })
    for (let i = 0; i < 50 && (await best.isEnabled()); i++) await best.click()
    await page
      .getByRole('log', { name: 'What happens' })
      .getByText(/^You put the .* in\/on the .*\.$/)
      .waitFor()
    await page
      .getByRole('status')
      .getByText(/^Won in \d+ commands\.$/)
      .waitFor()
  })

  it('can be played with only the keyboard', async () => {
    await newContext()
    const page = await visit()
    await page.locator('summary', { hasText: 'Look at a game' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Games' }).getByRole('button').first().waitFor()
    await page.getByRole('list', { name: 'Games' }).getByRole('button').first().focus()
    await page.keyboard.press('Enter')
    const best = page.getByRole('button', { name: 'Play the best command' })
    await best.waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H4')
    await best.focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toBe('go to cabinet 1')
    await page.keyboard.type('look')
    await page.keyboard.press('Enter')
    await page.getByText('2 commands of 50').waitFor()
  })
})

describe('the games panel', () => {
  it('passes axe and fits into windows of 360 to 1440 pixels', async () => {
    await newContext()
    const page = await visit()
    await drop(page, [await zipOf([...games, { path: 'json_2.1.1/train/a/game.tw-pddl', text: '{}' }])])
    await settled(page, '7 games read')
    await page.getByText('1 file could not be used').click()
    await page.getByRole('button', { name: 'Remove all games…' }).click()
    await openGame(page, games[1]!)
    await expectSound(page, [360, 768, 1440])
  })

  it('opens with the view of tasks in at most 195 kB packed, without engine, zip reader or worker', async () => {
    await newContext()
    const sizes = new Map<string, number>()
    context.on('response', async (response) => {
      const name = basename(new URL(response.url()).pathname)
      if (/\.(js|css|html)$|^$/.test(name)) sizes.set(name, gzipSync(await response.body()).length)
    })
    const page = await visit()
    await page.waitForLoadState('networkidle')
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(195_000)
    expect([...sizes.keys()].filter((name) => /GameBrowser|^games-|environment-/.test(name))).toEqual([])
    expect(sizes.size).toBeGreaterThan(2)
  })
})

describe.skipIf(isLeftOut('official game files on the page', noGameFiles))('released game files', () => {
  it('are all imported, and one of them is won by hand', async () => {
    await newContext()
    const page = await visit()
    const files = await Promise.all(
      gameFiles.map(async ({ id, path }) => ({
        path: `json_2.1.1/${id}/game.tw-pddl`,
        text: await readFile(path, 'utf8'),
      })),
    )
    await page
      .getByLabel('Zip or game files')
      .setInputFiles({ ...(await zipOf(files, 'json_2.1.3_tw-pddl.zip')), mimeType: 'application/zip' })
    await settled(page, `${files.length} games read, all of them new.`)
    expect(await page.getByText('could not be used').count()).toBe(0)
    expect((await total(page))?.at(-1)).toBe(String(files.length))
    const { path, text } = files.find((file) => file.path.includes('/train/')) ?? files[0]!
    const { walkthrough } = JSON.parse(text) as { walkthrough: string[] }
    await openGame(page, { path, text, walkthrough, sentence: '' })
    for (const command of walkthrough) await page.getByRole('button', { name: command, exact: true }).click()
    await page.getByRole('status').getByText(`Won in ${walkthrough.length} commands.`).waitFor()
  })
})
