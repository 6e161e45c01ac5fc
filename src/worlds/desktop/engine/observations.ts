/** What the engine says: views as text, short enough for tiny models. */
import { APPS, BROWSER, FILES, SETTINGS, SHEET, TRASH } from './facts.ts'
import { rowsText } from './document-acts.ts'
import { dialogForm } from './dialog-form.ts'
import { elementsOf, pageNames, pageTitle, type Element } from './elements.ts'
import type { DesktopState, Dialog } from './state.ts'
import { sumOf } from './values.ts'

export const nothingHappens = 'Nothing happens.'

/** The first observation: the applications, what is in front, and the task. */
export function openingText(state: DesktopState, instruction: string): string {
  const view = state.front < 0 ? '' : `${applicationText(state)}\n`
  return `Desktop: ${APPS.join(', ')}.\n${view}Task: ${instruction}`
}

/** "Files (Pictures, Notes, Trash) Pictures: cat.png, tree.png | Rename Copy". */
export function applicationText(state: DesktopState): string {
  const app = state.front
  const others = pageNames(state, app).filter((name) => name !== '')
  const list = app === BROWSER ? '' : ` (${others.join(', ')})`
  const elements = elementsOf(state)
  const buttons = buttonsText(elements)
  const view = `${APPS[app]!}${list} ${viewText(state, elements)}`
  return buttons === '' ? view : `${view} | ${buttons}`
}

/** "Pictures: cat.png, tree.png"; the buttons are said only where they are others than on the other pages. */
export function pageText(state: DesktopState): string {
  const elements = elementsOf(state)
  const view = viewText(state, elements)
  return state.front === FILES && state.pages[FILES] === TRASH ? `${view} | ${buttonsText(elements)}` : view
}

const viewText = (state: DesktopState, elements: readonly Element[]): string =>
  `${pageTitle(state, state.front)}: ${itemsText(state, elements)}`

export function buttonsText(elements: readonly Element[]): string {
  let text = ''
  for (const { region, name } of elements) {
    if (region !== 'buttons') continue
    text += text === '' ? name : ` ${name}`
  }
  return text
}

function itemsText(state: DesktopState, elements: readonly Element[]): string {
  const app = state.front
  if (app === SHEET) return tableText(state)
  if (app === BROWSER) {
    const links = pageNames(state, BROWSER).filter((name) => name !== '')
    const items = listing(elements, app)
    return [`to ${links.join(', ')}`, items].filter(Boolean).join('; ')
  }
  return listing(elements, app) || 'empty'
}

function listing(elements: readonly Element[], app: number): string {
  let list = ''
  for (const { region, role, name, text } of elements) {
    if (region !== 'items' || role === 'link') continue
    if (role === 'push-button' && (app === SETTINGS || app === BROWSER)) continue
    const said = text === '' ? name : `${name} ${text}`
    list += list === '' ? said : `, ${said}`
  }
  return list
}

function tableText(state: DesktopState): string {
  const page = state.pages[SHEET]!
  const { rows, totals } = state.tables[page]!
  const { headers } = state.game.desktop.tables[page]!
  const sums = headers.filter((_, column) => (totals >> column) & 1)
  const said = sums.map((header) => `, ${header} sum ${sumOf(rows, headers.indexOf(header))}`)
  return `${headers.join(' ')}, ${rowsText(rows)}${said.join('')}`
}

/** What a mail says when it is opened. */
export function mailText(state: DesktopState, item: number): string {
  const { from, subject, text, file, link } = state.game.desktop.mails[item]!
  const rest = [file === '' ? '' : ` file ${file}.`, link < 0 ? '' : ` link ${state.game.desktop.site[link]!.name}.`]
  return `${subject} from ${from}: ${text}.${rest.join('')}`
}

/** "Dialog: name tree.png | OK Cancel". */
export function dialogText(state: DesktopState, dialog: Dialog): string {
  const { fields, choices, ok } = dialogForm(state, dialog)
  const parts = [
    ...fields.map((name, field) => (dialog.fields[field] === '' ? name : `${name} ${dialog.fields[field]!}`)),
    ...choices.filter((name) => name !== ''),
  ]
  return `Dialog: ${parts.join(', ')} | ${ok === '' ? '' : `${ok} `}Cancel`
}
