/**
 * MiniWoB++ on the page: a wheel of our own pages is dropped, checked, and played by a model on a server.
 * MINIWOB_WHEEL=miniwob-1.1.0-py3-none-any.whl also checks the pages of the real one, which is not part of this project.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { listening, type LocalServer } from '../local-server.ts'
import { downloaded } from './harness.ts'
import { expectSound } from './looks.ts'
import { drop, giveWheel, lookAtDesktop, QUICK_RESULT, quickWheelBytes, wheelBytes } from './miniwob-page.ts'
import { readerOf, SOLVERS } from './miniwob-reader.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'
import { visibleWords } from './words.ts'

const visit = useTabs()
const REAL = process.env['MINIWOB_WHEEL']
/** Most words of a view before anything is opened. */
const MOST_WORDS = 300

/** Paths that anybody asked for. */
let asked: string[] = []
/** Answers of the model to come before the server fails. */
let answersLeft = Infinity
/** What the answers of the model wait for. */
let mayAnswer: Promise<void> = Promise.resolve()
let server: LocalServer
let address: string

beforeAll(async () => {
  const model = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*, authorization')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (!request.url!.startsWith('/v1/')) {
      asked.push(request.url!)
      return void response.end('hello')
    }
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'reader' }] }))
      const { messages } = JSON.parse(body) as { messages: { content: string }[] }
      const last = messages.at(-1)!.content
      if (last.startsWith('Page:') && answersLeft-- <= 0) return response.writeHead(400).end('{"error":"worn out"}')
      const content = last.startsWith('Page:') ? readerOf(messages.map((message) => message.content)) : 'Hello.'
      const message = { role: 'assistant', content }
      void mayAnswer.then(() =>
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })),
      )
    })
  })
  server = await listening(model)
  address = server.address
})
afterAll(() => server.close())

async function withWheel(): Promise<Page> {
  const page = await visit()
  await giveWheel(page, address)
  return page
}

async function chooseServer(page: Page): Promise<void> {
  await goTo(page, 'Models')
  const policy = page.getByRole('region', { name: 'Policy', exact: true })
  await policy.getByLabel('Played by').selectOption('openai')
  await policy.getByRole('textbox', { name: 'Server', exact: true }).fill(`${address}/v1`)
  await policy.getByLabel('Model, named as on the server').fill('reader')
  await goTo(page, 'Games and problems')
}

async function untick(page: Page, task: string): Promise<void> {
  await page.getByText(/^Tasks of MiniWoB\+\+ /).click()
  await page.getByRole('checkbox', { name: task }).uncheck()
}

async function evaluate(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^Evaluate on \d+ tasks$/ }).click()
  await page.getByRole('status').filter({ hasText: 'episodes played by reader.' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as JSON lines' }).click()
  return String(await downloaded(await downloading))
}

interface Line {
  episodeId: string
  instruction: string
  opening: string
  outcome: number
  steps: { command: string; observation: string }[]
}

const episodesOf = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Line)
    .sort((a, b) => (a.episodeId < b.episodeId ? -1 : 1))

describe('a wheel of task pages', () => {
  it('is checked when it is dropped: each page runs or says why not, none reaches the network, and it stays', async () => {
    asked = []
    const page = await visit()
    await lookAtDesktop(page)
    await page.getByRole('heading', { name: 'MiniWoB++' }).waitFor()
    expect(await visibleWords(page)).toBeLessThanOrEqual(MOST_WORDS)
    await page.getByLabel('Wheel of MiniWoB++').setInputFiles({
      ...{ name: 'miniwob-9.9-py3-none-any.whl', mimeType: 'application/zip' },
      buffer: Buffer.from(await wheelBytes(address)),
    })
    await page.getByText('4 of 10 pages run.').waitFor()
    const list = page.getByText('Tasks of MiniWoB++ 9.9')
    const expectWords = async (ofHangs: RegExp) => {
      await list.click()
      const words = await page.getByRole('region', { name: 'Tasks of MiniWoB++' }).locator('label').allInnerTexts()
      expect(words.map((text) => text.replaceAll('\n', ' ')).sort()).toEqual([
        'click-name runs',
        expect.stringMatching(/^fails .*nowhere is not defined/),
        'forges The page sent an answer that we cannot read.',
        expect.stringMatching(ofHangs),
        'hangs-late runs',
        'lacks The wheel lacks core/absent.js, which it loads.',
        'leaves The page went to another address, which the sandbox does not allow.',
        'never-ends Its episode does not end when its time is over.',
        'reach-out runs',
        'type-word runs',
      ])
    }
    await expectWords(/^hangs The page did not answer for 10 s and was ended\.$/)
    await expectSound(page, [390, 1280])
    expect(asked).toEqual([])
    await page.reload()
    await lookAtDesktop(page)
    // The page that hangs is checked again after a visit, which takes 20 s.
    await expectWords(/^hangs (not checked yet|The page did not answer for 10 s and was ended\.)$/)
    await page.getByRole('button', { name: 'Remove the wheel' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await list.waitFor({ state: 'detached' })
    await page.reload()
    await lookAtDesktop(page)
    await page.getByRole('button', { name: 'Choose the wheel…' }).waitFor()
    expect(await list.count()).toBe(0)
  })

  it('does not count the episode of a page that hangs, and loses no other that plays beside it', async () => {
    const page = await withWheel()
    await chooseServer(page)
    await page.getByLabel('Episodes of each task').fill('1')
    const episodes = episodesOf(await evaluate(page))
    expect(episodes.map(({ instruction, outcome }) => [instruction, outcome])).toEqual([
      ['click-name', episodes[0]!.opening.includes('Click "blue"') ? -1 : 1],
      ['hangs-late', -1],
      ['reach-out', 1],
      ['type-word', 1],
    ])
    expect(episodes[1]!.steps.map(({ observation }) => observation)).toEqual([
      'The page failed. The page did not answer for 10 s and was ended.',
    ])
    const table = page.getByRole('region', { name: 'Accuracy by task' })
    expect(await table.getByRole('row', { name: /^All/ }).innerText()).toMatch(/ of 3\s+\d+ %\s+1\s*$/)
    expect(await table.getByRole('row', { name: /^hangs-late/ }).innerText()).toMatch(/0 of 0\s+1\s+Read$/)
    await page.getByRole('button', { name: 'Read the episodes of hangs-late' }).click()
    await page.getByRole('button', { name: 'Seed 1: page failed' }).waitFor()
  })

  it('is played by a model on a server, with the same episodes twice, and each can be read', async () => {
    asked = []
    answersLeft = Infinity
    const page = await withWheel()
    await page.getByText(/small built-in models do not read them/).waitFor()
    expect(await page.getByRole('button', { name: /^Evaluate on/ }).isDisabled()).toBe(true)
    await chooseServer(page)
    await untick(page, 'hangs-late')
    const first = await evaluate(page)
    const episodes = episodesOf(first)
    expect(episodes.length).toBe(12)
    const typed = episodes.filter(({ instruction }) => instruction === 'type-word')
    expect(typed.map(({ outcome }) => outcome)).toEqual([1, 1, 1, 1])
    expect(typed.every(({ steps }) => steps.length === 3)).toBe(true)
    const clicked = episodes.filter(({ instruction }) => instruction === 'click-name')
    expect(clicked.map(({ outcome }) => outcome)).toEqual(
      clicked.map(({ opening }) => (opening.includes('Click "blue"') ? -1 : 1)),
    )
    expect(new Set(clicked.map(({ opening }) => opening)).size).toBeGreaterThan(1)
    const shutIn = episodes.filter(({ instruction }) => instruction === 'reach-out')
    expect(shutIn.map(({ outcome }) => outcome)).toEqual([1, 1, 1, 1])
    expect(asked).toEqual([])

    const table = page.getByRole('region', { name: 'Accuracy by task' })
    expect(await table.getByRole('row', { name: /^type-word/ }).innerText()).toMatch(/4 of 4\s+100 %\s+51 % – 100 %/)
    await page.getByRole('button', { name: 'Read the episodes of type-word' }).click()
    const log = page.getByRole('region', { name: 'Episodes of type-word' }).getByRole('log')
    expect(await log.innerText()).toContain('I read the page.\nAction: type ')
    await expectSound(page, [390, 1280])
    expect(episodesOf(await evaluate(page))).toEqual(episodes)
  })

  it('runs where a course page embeds the Playground, and says nothing to that page', async () => {
    const course = await visit()
    await course.goto(`${address}/course`)
    const frame = await course
      .evaluate(
        (playground) =>
          new Promise<void>((resolve) => {
            const heard: unknown[] = []
            Object.assign(window, { heard })
            addEventListener('message', ({ data }) => heard.push(data))
            const frame = document.createElement('iframe')
            frame.src = playground
            frame.style.cssText = 'width: 1200px; height: 800px'
            frame.onload = () => resolve()
            document.body.append(frame)
          }),
        `${inject('pageAddress')}?embed`,
      )
      .then(() => course.frames()[1]!)
    await frame.getByText('Nothing has run yet. Press Run').waitFor()
    await drop(frame, { 'miniwob-9.9-py3-none-any.whl': await quickWheelBytes(address) })
    await frame.getByText(QUICK_RESULT).waitFor()
    await frame.getByText('Tasks of MiniWoB++ 9.9').click()
    await frame.getByText('The page went to another address, which the sandbox does not allow.').waitFor()
    const heard = await course.evaluate(() => (window as unknown as { heard: { about?: string }[] }).heard)
    expect(heard.filter(({ about }) => about === 'miniwob')).toEqual([])
  })

  it('shows what was played while another world was shown', async () => {
    const page = await withWheel()
    await chooseServer(page)
    await untick(page, 'hangs-late')
    let answer = () => {}
    mayAnswer = new Promise((resolve) => (answer = resolve))
    await page.getByRole('button', { name: /^Evaluate on \d+ tasks$/ }).click()
    await page.getByText('0 of 12 episodes played by reader…').waitFor()
    await page.getByRole('radio', { name: 'Coding', exact: true }).check()
    await page.getByRole('heading', { name: 'MiniWoB++' }).waitFor({ state: 'detached' })
    answer()
    await lookAtDesktop(page)
    await page.getByRole('status').filter({ hasText: '12 of 12 episodes played by reader.' }).waitFor()
    const table = page.getByRole('region', { name: 'Accuracy by task' })
    expect(await table.getByRole('row', { name: /^type-word/ }).innerText()).toMatch(/4 of 4/)
    expect(await table.getByRole('row', { name: /^All/ }).innerText()).toMatch(/ of 12/)
  })

  it('keeps what was played when the server fails or the evaluation is cancelled', async () => {
    const page = await withWheel()
    await chooseServer(page)
    await untick(page, 'hangs-late')
    answersLeft = 10
    await page.getByRole('button', { name: /^Evaluate on \d+ tasks$/ }).click()
    await page
      .getByRole('alert')
      .getByText(/worn out/)
      .waitFor()
    const played = page.getByRole('status').filter({ hasText: 'episodes played by reader.' })
    expect(Number(/^\d+/.exec(await played.innerText())![0])).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Download as JSON lines' }).isEnabled()).toBe(true)

    answersLeft = Infinity
    await page.getByLabel('Episodes of each task').fill('200')
    await page.getByRole('button', { name: /^Evaluate on \d+ tasks$/ }).click()
    await page.getByRole('region', { name: 'Accuracy by task' }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText('Cancelled. The episodes that ended before are kept.').waitFor()
    await expect.poll(() => page.locator('iframe').count()).toBe(0)
  })

  it.skipIf(REAL === undefined)('has 130 pages in MiniWoB++ 1.1.0, which all run (MINIWOB_WHEEL)', async () => {
    const page = await visit()
    await drop(page, { 'miniwob-1.1.0-py3-none-any.whl': readFileSync(REAL!) })
    await page.getByText(/^\d+ of 130 pages run\.$/).waitFor({ timeout: 600_000 })
    await page.getByText('Tasks of MiniWoB++ 1.1.0').click()
    const tasks = page.getByRole('region', { name: 'Tasks of MiniWoB++' })
    const words = await tasks.locator('label').allInnerTexts()
    expect(words.filter((text) => !/\sruns(;.*)?$/.test(text))).toEqual([])
    expect(words.length).toBe(130)

    // One task for each kind of command, which a few rules solve from the text.
    await chooseServer(page)
    await page.getByRole('button', { name: 'Choose none' }).click()
    const solved = Object.keys(SOLVERS)
    for (const name of solved) await tasks.getByRole('checkbox', { name: new RegExp(`^${name} runs`) }).check()
    const episodes = episodesOf(await evaluate(page))
    expect(episodes.length).toBe(4 * solved.length)
    expect(episodes.filter(({ outcome }) => outcome !== 1).map(({ episodeId }) => episodeId)).toEqual([])
  })
})
