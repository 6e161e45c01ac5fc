/** The page where no graphics adapter is: what it says before and after a run that needs one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import type { BackendWish } from '../../src/sessions/messages.ts'
import { openSettings } from './controls.ts'
import { usePages } from './harness.ts'
import { smallLink } from './small-run.ts'
import { serveStatic, type Changes, type StaticServer } from './static-server.ts'
import { goTo } from './views.ts'

const pages = usePages()
const servers: StaticServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** Begins every script with a line, since no test can enter a worker before its first script. */
const beginningWith = (line: string): Changes => ({
  change: (path) =>
    path.endsWith('.js') ? { body: line + readFileSync(join(root, 'dist', path), 'utf8') } : undefined,
})
const WITHOUT_ADAPTER = beginningWith('if (globalThis.GPU) GPU.prototype.requestAdapter = async () => null;')
const WITHOUT_WEBGPU = beginningWith('delete (globalThis.WorkerNavigator ?? globalThis.Navigator).prototype.gpu;')

async function visit(changes: Changes, view: 'models' | 'loop', backend: BackendWish = 'auto'): Promise<Page> {
  const server = await serveStatic(changes)
  servers.push(server)
  const page = await pages.open()
  await page.goto(`${server.address}${await smallLink({}, backend)}&view=${view}`)
  return page
}

const typeOfGpu = (page: Page) => page.evaluate(() => typeof navigator.gpu)

it.each([
  ['with WebGPU but no adapter', WITHOUT_ADAPTER, 'object'],
  ['without WebGPU', WITHOUT_WEBGPU, 'undefined'],
])('%s, Models says that WebLLM has no adapter, and so does a run with it', async (_, changes, type) => {
  const page = await visit(changes, 'models')
  await page.getByText('This browser has no graphics adapter.').waitFor()
  expect(await typeOfGpu(page)).toBe(type)
  for (const name of ['Policy', 'Reward model', 'Author of tasks']) {
    const role = page.getByRole('region', { name })
    await role.getByLabel('Played by').selectOption('built-in-webllm')
    await role.getByText('WebLLM requires a graphics adapter, and this browser has none.').waitFor()
  }
  await goTo(page, 'Loop')
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await page.getByRole('alert').getByText('because this browser has no graphics adapter for WebGPU').waitFor()
})

it('with WebGPU but no adapter, a run that is to compute with it names the cause', async () => {
  const page = await visit(WITHOUT_ADAPTER, 'loop')
  await openSettings(page)
  await page.getByLabel('Computed by').selectOption('webgpu')
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await page.getByRole('alert').getByText('WebGPU offers no graphics adapter.').waitFor()
})

it('without WebGPU, it cannot be chosen, and a link that chose it elsewhere names the cause', async () => {
  const page = await visit(WITHOUT_WEBGPU, 'loop', 'webgpu')
  await openSettings(page)
  expect(await page.getByRole('option', { name: 'WebGPU', exact: true }).isDisabled()).toBe(true)
  await page.getByText('This browser has no WebGPU, so the CPU is used.').waitFor()
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await page.getByRole('alert').getByText('This browser has no WebGPU. Chrome').waitFor()
})
