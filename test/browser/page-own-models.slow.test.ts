/** The models of a world from a file: a run keeps the version that it began with, and says what to do when it is gone. */
import { expect, it } from 'vitest'
import { worldOf } from '../worlds/own/worlds.ts'
import { dropWorld, useModels } from './own-world-page.ts'
import { makeSmall, reach } from './small-run.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()
const giveModels = useModels(['mine'])

it('a run whose models were removed asks for that version, and continues once it is dropped again', async () => {
  const page = await visit()
  await dropWorld(page, 'mine.ts', worldOf())
  await giveModels(page, 'mine')
  const played = await page.getByText(/^Small models of mine\.models/).innerText()
  const version = /version ([0-9a-f]{8})/.exec(played)![1]!
  await makeSmall(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goTo(page, 'Loop')
  const from = await reach(page, 3)
  await goTo(page, 'Runs')
  await page.getByText(`began with mine.models, version ${version}`).waitFor()

  await page.reload()
  await goTo(page, 'Models')
  for (const role of ['policy', 'reward', 'author']) {
    const name = `mine.models@${version}/own-${role}`
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText(`${name}, `).waitFor({ state: 'detached' })
  }
  const resume = page.getByRole('button', { name: /^Resume the run from iteration \d+$/ })
  await resume.click()
  const failure = page.getByRole('alert').filter({ hasText: 'The models could not be loaded.' })
  expect(await failure.innerText()).toMatch(
    new RegExp(`is no longer in this browser\\. It belongs to version ${version} of mine\\.models: drop that folder`),
  )
  expect(await failure.innerText()).not.toMatch(/under Models|Start the run again/)

  await page.getByRole('radio', { name: 'Numbers', exact: true }).check()
  await goTo(page, 'Games and problems')
  await giveModels(page, 'mine')
  await page.reload()
  await resume.click()
  await goTo(page, 'Loop')
  await reach(page, from + 1)
})
