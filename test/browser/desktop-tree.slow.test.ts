/**
 * The desktop's drawing against the engine: what a screen reader is told of it is the table that models read, and a click of the real
 * mouse is the step that the engine plays.
 */
import type { CDPSession, Locator, Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { startGame, type DesktopState } from '../../src/worlds/desktop/engine/state.ts'
import { step } from '../../src/worlds/desktop/engine/step.ts'
import { generateTask } from '../../src/worlds/desktop/generator/generate-task.ts'
import { nextCommand } from '../../src/worlds/desktop/planning/expert.ts'
import { clicked } from '../../src/worlds/desktop/scene/dialects.ts'
import { HEIGHT, scene, WIDTH, type SceneElement } from '../../src/worlds/desktop/scene/scene.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { goTo } from './views.ts'

/** A kind for each application, and one for several. */
const KINDS = {
  train: ['rename-file', 'change-line', 'set-cells', 'move-mail', 'choose-setting', 'set-level'],
  ood: ['send-sum', 'bookmark-page'],
} as const

/** What a screen reader calls an element, by its role in OSWorld's table. */
const SPOKEN: Readonly<Partial<Record<SceneElement['role'], string>>> = {
  link: 'link',
  'check-box': 'checkbox',
  'radio-button': 'radio',
  label: 'group',
}

const pages = usePages()

interface TreeNode {
  role?: { value: string }
  name?: { value: string }
  properties?: { name: string; value: { value: unknown } }[]
}

/** "button, Files" for every element that the browser's accessibility tree has below the drawing. */
async function heard(session: CDPSession): Promise<string[]> {
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: (TreeNode & { nodeId: string; childIds?: string[]; ignored: boolean })[] } // prettier-ignore
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const drawing = nodes.find(({ role, name }) => role?.value === 'group' && name?.value.startsWith('The desktop'))!
  const below: string[] = []
  const visit = (id: string) => {
    const { role, name, ignored, childIds = [] } = byId.get(id)!
    if (!ignored && name?.value && role?.value !== 'StaticText' && role?.value !== 'InlineTextBox')
      below.push(`${role!.value}, ${name.value}`)
    else childIds.forEach(visit)
  }
  drawing.childIds!.forEach(visit)
  return below
}

const labelOf = ({ name, text }: SceneElement) => (text === '' ? name : `${name}: ${text}`)
const spoken = (element: SceneElement) => `${SPOKEN[element.role] ?? 'button'}, ${labelOf(element)}`

interface Spot {
  label: string
  x: number
  y: number
}

/** The middle of everything in the drawing that the page labels, on the grid of the scene, in one visit to the page. */
const middles = (drawing: Locator): Promise<Spot[]> =>
  drawing.evaluate((whole, width) => {
    const { left, top, width: drawn } = whole.getBoundingClientRect()
    const scale = width / drawn
    return [...whole.querySelectorAll('[aria-label]')].map((part) => {
      const box = part.getBoundingClientRect()
      return {
        label: part.getAttribute('aria-label')!,
        x: (box.left + box.width / 2 - left) * scale,
        y: (box.top + box.height / 2 - top) * scale,
      }
    })
  }, WIDTH)

async function play(page: Page, drawing: Locator, state: DesktopState, command: string): Promise<void> {
  const element = clicked(state, command, 'names')
  if (element) {
    const box = (await drawing.boundingBox())!
    const { x, y, width, height } = element.place
    await page.mouse.click(
      box.x + ((x + width / 2) * box.width) / WIDTH,
      box.y + ((y + height / 2) * box.height) / HEIGHT,
    )
  } else if (command.startsWith('type ')) {
    await page.keyboard.type(command.slice('type '.length))
    await page.keyboard.press('Enter')
  } else if (command === 'key ctrl s') await page.keyboard.press('Control+s')
  else throw new Error(`The test cannot play "${command}".`)
}

it('what is drawn, heard and clicked is what the engine has, in every application', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(inject('pageAddress'))
  await page.getByText('Nothing has run yet. Press Run').waitFor()
  await page.getByRole('radio', { name: 'Desktop', exact: true }).check()
  await goTo(page, 'Games and problems')
  const session = await page.context().newCDPSession(page)
  const drawing = page.getByRole('application', { name: 'Screen' }).getByRole('group', { name: /^The desktop/ })
  for (const [split, kinds] of Object.entries(KINDS)) {
    await page.getByRole('combobox', { name: 'Split' }).selectOption(split)
    for (const kind of kinds) {
      await page.getByRole('combobox', { name: 'Kind of task' }).selectOption(kind)
      const game = generateTask({ seed: 0, split: split as 'train' | 'ood', templates: [kind] })
      await page.getByRole('heading', { name: game.instruction }).waitFor()
      // The mouse reaches only what is in the window.
      await drawing.evaluate((element) => element.scrollIntoView({ block: 'center' }))
      const state = startGame(game, { stepLimit: 20 })
      for (let command = nextCommand(state)!; command !== 'done'; command = nextCommand(state)!) {
        const elements = scene(state)
        await expect.poll(() => heard(session), { message: kind }).toEqual(elements.map(spoken))
        const spots = await middles(drawing)
        for (const element of elements) {
          const labelled = spots.filter(({ label }) => label === labelOf(element))
          expect(labelled, `${kind}: ${element.name}`).toHaveLength(1)
          const [{ x, y }] = labelled as [Spot]
          const { place } = element
          expect(x > place.x && x < place.x + place.width, `${kind}: ${element.name} across`).toBe(true)
          expect(y > place.y && y < place.y + place.height, `${kind}: ${element.name} down`).toBe(true)
        }
        await play(page, drawing, state, command)
        step(state, command)
      }
      await page.getByRole('button', { name: 'It is done' }).click()
      await page.getByText(/^Won in \d+ steps\.$/).waitFor()
    }
  }
})
