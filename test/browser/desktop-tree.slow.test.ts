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

const spoken = ({ role, name, text }: SceneElement) =>
  `${SPOKEN[role] ?? 'button'}, ${text === '' ? name : `${name}: ${text}`}`

/** The middle of what the page labels as this element, on the grid of the scene. */
async function middleOf(drawing: Locator, { name, text }: SceneElement): Promise<{ x: number; y: number }> {
  const [whole, part] = await Promise.all([
    drawing.boundingBox(),
    drawing.getByLabel(text === '' ? name : `${name}: ${text}`, { exact: true }).boundingBox(),
  ])
  const scale = WIDTH / whole!.width
  return { x: (part!.x + part!.width / 2 - whole!.x) * scale, y: (part!.y + part!.height / 2 - whole!.y) * scale }
}

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

it.each(Object.entries(KINDS).flatMap(([split, kinds]) => kinds.map((kind) => [kind, split] as const)))(
  'what is drawn, heard and clicked is what the engine has: %s',
  async (kind, split) => {
    const page = await pages.open()
    await page.route('**/runs/**', (route) => route.fulfill({ status: 404 }))
    await page.goto(inject('pageAddress'))
    await page.getByText('Nothing has run yet. Press Run').waitFor()
    await page.getByRole('radio', { name: 'Desktop', exact: true }).check()
    await goTo(page, 'Games and problems')
    await page.getByRole('combobox', { name: 'Split' }).selectOption(split)
    await page.getByRole('combobox', { name: 'Kind of task' }).selectOption(kind)
    const game = generateTask({ seed: 0, split: split as 'train' | 'ood', templates: [kind] })
    await page.getByRole('heading', { name: game.instruction }).waitFor()
    const drawing = page.getByRole('application', { name: 'Screen' }).getByRole('group', { name: /^The desktop/ })
    // The mouse reaches only what is in the window.
    await drawing.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    const session = await page.context().newCDPSession(page)
    const state = startGame(game, { stepLimit: 20 })
    for (let command = nextCommand(state)!; command !== 'done'; command = nextCommand(state)!) {
      await expect.poll(() => heard(session)).toEqual(scene(state).map(spoken))
      for (const element of scene(state)) {
        const { x, y } = await middleOf(drawing, element)
        const { place } = element
        expect(x > place.x && x < place.x + place.width, `${element.name} across`).toBe(true)
        expect(y > place.y && y < place.y + place.height, `${element.name} down`).toBe(true)
      }
      await play(page, drawing, state, command)
      step(state, command)
    }
    await page.getByRole('button', { name: 'It is done' }).click()
    await page.getByText(/^Won in \d+ steps\.$/).waitFor()
  },
)
