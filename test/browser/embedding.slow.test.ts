/** The built page in a frame of a course page: the recipe of docs/hosting.md, its messages, and what it cannot keep. */
import type { FrameLocator, Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { documented, heard, serveCourse } from './course-page.ts'
import { EVERY_VIEW, openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { pressStep, smallAddress, smallLink } from './small-run.ts'
import { serveStatic, type StaticServer } from './static-server.ts'

const pages = usePages()
const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const course = async (frame: string, host?: string): Promise<string> => {
  const page = await serveCourse(frame, host)
  servers.push(page)
  return page.address
}

async function serve(): Promise<StaticServer> {
  const server = await serveStatic()
  servers.push(server)
  return server
}

it('in a frame as in docs/hosting.md it runs without its own title and reports to the course page', async () => {
  const { address, origin } = await serve()
  const page = await pages.open()
  await page.goto(await course(documented(`${address}?embed#lesson=lambda`)))
  const frame = page.frameLocator('iframe')
  await frame.getByRole('link', { name: 'Open in its own tab' }).waitFor()
  await frame.getByRole('button', { name: 'Run', exact: true }).waitFor()
  expect(await frame.getByRole('heading', { name: 'RLAnything Playground' }).isVisible()).toBe(false)
  const source = 'rlanything-playground'
  await expect.poll(() => heard(page)).toEqual([{ source, type: 'ready', origin: new URL(origin).origin }])
})

it('in a frame as in docs/hosting.md it tells a course page of another origin that it is ready, and what a reader observed and passed', async () => {
  const { address, origin } = await serve()
  const page = await pages.open()
  const link = await smallLink({ groupSize: 4, tasksPerIteration: 2, maxSteps: 12 }, 'cpu')
  const source = `${address}?embed=https://course.example${link}&view=learn&lesson=ablations`
  // Chromium keeps what frames of the same site store.
  await page.goto(await course(documented(source), '127.0.0.1'))
  const frame = page.frameLocator('iframe')
  for (const component of ['policy', 'reward model']) {
    const button = frame.getByRole('button', { name: `Step the ${component}`, exact: true })
    const learned = frame.getByText(new RegExp(`Only the ${component}: in iteration`))
    // A component is updated only if groups differ, which may fail in a small batch: then another iteration.
    const step = async () => {
      const hasLearned = (await learned.count()) > 0
      if (!hasLearned && (await button.getAttribute('aria-disabled')) !== 'true') await button.click()
      return hasLearned
    }
    await expect.poll(step, { interval: 500 }).toBe(true)
  }
  const said = { source: 'rlanything-playground', origin: new URL(origin).origin }
  const passed = { ...said, type: 'passed', lessons: ['ablations'] }
  await expect.poll(() => heard(page)).toHaveLength(3)
  const [ready, observed, last] = await heard(page)
  expect(ready).toEqual({ ...said, type: 'ready' })
  expect(observed).toMatchObject({ ...said, type: 'observed', lesson: 'ablations' })
  expect(observed!.evidence).toMatch(/^Only the policy: in iteration \d+\. Only the reward model: in iteration \d+\.$/)
  expect(observed!.runId).toMatch(/^run-/)
  expect(observed!.iteration).toBeGreaterThanOrEqual(2)
  expect(last).toEqual(passed)
  await page.reload()
  await expect.poll(() => heard(page)).toEqual([{ ...said, type: 'ready' }, passed])
})

it('in a frame as in docs/hosting.md it takes what a reader types, and copies links', async () => {
  const { address } = await serve()
  const context = await pages.newContext()
  // A person is asked only once, or never.
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await pages.open(context)
  await page.goto(await course(documented(`${address}?embed#episodes`)))
  const frame = page.frameLocator('iframe')
  await frame.locator('#theatre > details > summary').click()
  await frame.getByRole('button', { name: 'Play this task by hand' }).click()
  const line = frame.getByRole('textbox', { name: 'Command' })
  await line.fill('dance')
  await line.press('Enter')
  await frame.getByRole('log').getByText('Nothing happens.').waitFor()
  await page.goto(await course(documented(`${address}?embed#lesson=lambda&view=lessons`)))
  await frame.locator('summary', { hasText: 'Link to this lesson' }).click()
  await frame.getByRole('button', { name: 'Copy link to this lesson' }).click()
  await frame.getByText('Copied.').waitFor()
})

/** Runs an iteration in a frame of a course page. */
async function stepInside(page: Page, host: string): Promise<FrameLocator> {
  const { address } = await serve()
  const sandbox = 'allow-scripts allow-same-origin'
  const source = await smallAddress(`${address}?embed`)
  const frame = `<iframe src="${source}" sandbox="${sandbox}" width=1200 height=800></iframe>`
  await page.goto(await course(frame, host))
  const inside = page.frameLocator('iframe')
  await pressStep(inside)
  return inside
}

// Playwright's visitors browse like those of a private window, where Chromium blocks the storage of frames of other sites.
it.each([
  [
    'in a frame of another site it runs, says that nothing is kept, and shows every view',
    'localhost',
    'does not let this page keep runs',
    EVERY_VIEW,
  ],
  // As in its own tab from here on.
  ['in a frame of another origin of its site it runs and keeps its runs', '127.0.0.1', '1 run in this browser', []],
] as const)('%s', async (_, host, sentence, views) => {
  const inside = await stepInside(await pages.open(), host)
  await inside.getByRole('link', { name: 'Compare' }).click()
  await inside.getByRole('region', { name: 'Runs' }).getByText(sentence).waitFor()
  expect(await inside.getByText('stay until you delete them').count()).toBe(0)
  for (const view of views) await openView(inside, view)
})

it('in a frame without an origin it says which flag is missing', async () => {
  const { address } = await serve()
  const page = await pages.open()
  await page.goto(await course(`<iframe src="${address}" sandbox="allow-scripts"></iframe>`))
  await page.frameLocator('iframe').getByText('sandbox="allow-scripts allow-same-origin"').waitFor()
})
