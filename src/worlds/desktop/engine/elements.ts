/** What can be clicked: the elements on the screen, in reading order, without their places (scene.ts adds those). */
import {
  APPS,
  BROWSER,
  draftsBox,
  EDITOR,
  FILES,
  MAIL,
  preferencesPage,
  sentBox,
  SETTINGS,
  SHEET,
  TRASH,
  type Facts,
} from './facts.ts'
import { dialogForm } from './dialog-form.ts'
import { buttonWord, toolRow, type Button, type Layout } from './layout.ts'
import { isMenuOpen, type DesktopState, type Dialog } from './state.ts'
import { lineText, sumOf, valueText } from './values.ts'

/** What a click on the element does. */
export type Effect =
  | { kind: 'app'; app: number }
  | { kind: 'page'; page: number }
  | { kind: 'item'; item: number }
  | { kind: 'button'; button: Button }
  | { kind: 'menu' }
  | { kind: 'control'; control: number; change: 0 | 1 | -1 }
  | { kind: 'mail-link'; page: number }
  | { kind: 'field'; field: number }
  | { kind: 'choice'; choice: number }
  | { kind: 'ok' }
  | { kind: 'cancel' }
  | { kind: 'none' }

/** In the words of AT-SPI, with hyphens. */
export type ElementRole =
  | 'push-button'
  | 'toggle-button'
  | 'list-item'
  | 'page-tab'
  | 'link'
  | 'entry'
  | 'check-box'
  | 'combo-box'
  | 'radio-button'
  | 'table-cell'
  | 'column-header'
  | 'label'

/** Parts of the screen; the scene lays out each by itself. */
export type Region = 'dock' | 'pages' | 'items' | 'buttons' | 'dialog'

export interface Element {
  role: ElementRole
  region: Region
  name: string
  /** What it shows besides its name. */
  text: string
  isSelected: boolean
  effect: Effect
}

export const MORE = 'More'
export const CANCEL = 'Cancel'
export const TRASH_NAME = 'Trash'
export const PREFERENCES_NAME = 'Preferences'
/** Items of a sheet: cells are row · COLUMNS + column, headers come after them. */
export const COLUMNS = 8
export const HEADERS = 64
const LETTERS = 'abcdefgh'

export const cellName = (item: number): string => `${LETTERS[item % COLUMNS]!}${Math.floor(item / COLUMNS) + 1}`

/** The name of an item of the application in front. */
export function itemName(state: DesktopState, item: number): string {
  const { desktop } = state.game
  switch (state.front) {
    case FILES:
      return state.facts.files[item]!.name
    case EDITOR:
      return lineName(item)
    case SHEET:
      return item < HEADERS ? cellName(item) : desktop.tables[state.pages[SHEET]!]!.headers[item - HEADERS]!
    default:
      return desktop.mails[item]!.subject
  }
}

const lineName = (item: number): string => `line ${item + 1}`

export function elementsOf(state: DesktopState): Element[] {
  if (state.dialog) return dialogElements(state, state.dialog)
  const list: Element[] = []
  for (let app = 0; app < APPS.length; app++) {
    list.push(element('page-tab', 'dock', APPS[app]!, '', { kind: 'app', app }, app === state.front))
  }
  if (state.front < 0) return list
  addPages(list, state)
  addItems(list, state)
  addButtons(list, state)
  return list
}

function element(
  role: ElementRole,
  region: Region,
  name: string,
  text: string,
  effect: Effect,
  isSelected = false,
): Element {
  return { role, region, name, text, isSelected, effect }
}

/** Names of the pages of an application that can be reached with one click; '' for one that cannot. */
export function pageNames(state: DesktopState, app: number): readonly string[] {
  const { desktop } = state.game
  switch (app) {
    case FILES:
      return filesPages.get(state.facts.folders) ?? namesOfFolders(state.facts.folders)
    case EDITOR:
      return desktop.documents
    case SHEET:
      return desktop.tables.map(({ name }) => name)
    case MAIL:
      return desktop.boxes
    case SETTINGS:
      return desktop.sections
    default: {
      const here = state.pages[BROWSER]!
      const links = desktop.site[here]?.links ?? [0]
      return desktop.site.map(({ name }, page) => (links.includes(page) ? name : ''))
    }
  }
}

const filesPages = new WeakMap<Facts['folders'], readonly string[]>()

function namesOfFolders(folders: Facts['folders']): readonly string[] {
  const names = Array.from({ length: TRASH }, (_, index) => folders[index] ?? '')
  names.push(TRASH_NAME)
  filesPages.set(folders, names)
  return names
}

/** The name of the page in view. */
export function pageTitle(state: DesktopState, app: number): string {
  const { desktop } = state.game
  const page = state.pages[app]!
  if (app === FILES) return page === TRASH ? TRASH_NAME : state.facts.folders[page]!
  if (app === BROWSER) return desktop.site[page]?.name ?? PREFERENCES_NAME.toLowerCase()
  return pageNames(state, app)[page]!
}

function addPages(list: Element[], state: DesktopState): void {
  const app = state.front
  const names = pageNames(state, app)
  const role = app === BROWSER ? 'link' : 'list-item'
  for (let page = 0; page < names.length; page++) {
    const name = names[page]!
    if (name === '') continue
    list.push(element(role, 'pages', name, '', { kind: 'page', page }, page === state.pages[app]))
  }
}

const item = (role: ElementRole, name: string, text: string, index: number, selected: number): Element =>
  element(role, 'items', name, text, { kind: 'item', item: index }, index === selected)

function addItems(list: Element[], state: DesktopState): void {
  const { desktop } = state.game
  const app = state.front
  const page = state.pages[app]!
  const selected = state.items[app]!
  switch (app) {
    case FILES:
      for (let i = 0; i < state.facts.files.length; i++) {
        const file = state.facts.files[i]!
        const isShown = page === TRASH ? file.isTrashed : !file.isTrashed && file.folder === page
        if (isShown) list.push(item('list-item', file.name, '', i, selected))
      }
      return
    case EDITOR:
      for (let i = 0; i < state.documents[page]!.length; i++) {
        list.push(item('list-item', lineName(i), lineText(state.documents[page]![i]!), i, selected))
      }
      return
    case SHEET:
      addCells(list, state, page, selected)
      return
    case MAIL:
      addMails(list, state, page, selected)
      return
    case SETTINGS:
      addControls(list, state, SETTINGS, page)
      return
    case BROWSER:
      if (page === preferencesPage(desktop)) addControls(list, state, BROWSER, 0)
      else if (state.facts.bookmarks[page]! >= 0) {
        const folder = desktop.bookmarkFolders[state.facts.bookmarks[page]!]!
        list.push(element('label', 'items', 'bookmarked', folder, { kind: 'none' }))
      }
  }
}

function addCells(list: Element[], state: DesktopState, page: number, selected: number): void {
  const { rows, totals } = state.tables[page]!
  const { headers } = state.game.desktop.tables[page]!
  for (let column = 0; column < headers.length; column++) {
    const total = (totals >> column) & 1 ? `sum ${sumOf(rows, column)}` : ''
    list.push(item('column-header', headers[column]!, total, HEADERS + column, selected))
  }
  for (let row = 0; row < rows.length; row++) {
    for (let column = 0; column < headers.length; column++) {
      const cell = row * COLUMNS + column
      list.push(item('table-cell', cellName(cell), rows[row]![column]!, cell, selected))
    }
  }
}

function addMails(list: Element[], state: DesktopState, page: number, selected: number): void {
  const { desktop } = state.game
  if (page === sentBox(desktop)) {
    for (const { kind, about, to, text } of state.facts.sent) {
      const subject = about < 0 ? '' : desktop.mails[about]!.subject
      list.push(element('label', 'items', [kind, subject, 'to', to].filter(Boolean).join(' '), text, { kind: 'none' }))
    }
    return
  }
  state.facts.mails.forEach(({ box, isStarred, attached }, item) => {
    if (box !== page) return
    const { from, subject } = desktop.mails[item]!
    const marks = [page === draftsBox(desktop) ? '' : from, isStarred ? '*' : '']
    if (attached >= 0) marks.push(desktop.recentFiles[attached]!)
    const text = marks.filter(Boolean).join(' ')
    list.push(element('list-item', 'items', subject, text, { kind: 'item', item }, item === selected))
  })
  const opened = desktop.mails[selected]
  if (opened && opened.link >= 0) {
    list.push(element('link', 'items', desktop.site[opened.link]!.name, '', { kind: 'mail-link', page: opened.link }))
  }
}

/** Controls of the browser are all in section 0. */
function addControls(list: Element[], state: DesktopState, app: number, section: number): void {
  const { controls } = state.game.desktop
  for (let control = 0; control < controls.length; control++) {
    const { kind, name, app: owner, section: own } = controls[control]!
    if (owner !== app || own !== section) continue
    const text = valueText(controls[control]!, state.facts.values[control]!)
    if (kind === 'level') {
      list.push(element('label', 'items', name, text, { kind: 'none' }))
      list.push(element('push-button', 'items', `${name} +`, '', { kind: 'control', control, change: 1 }))
      list.push(element('push-button', 'items', `${name} -`, '', { kind: 'control', control, change: -1 }))
    } else {
      const role = kind === 'switch' ? 'check-box' : 'combo-box'
      list.push(element(role, 'items', name, text, { kind: 'control', control, change: 0 }))
    }
  }
}

function addButtons(list: Element[], state: DesktopState): void {
  const { layout } = state.game
  const app = state.front
  if (app === FILES && state.pages[FILES] === TRASH) {
    list.push(buttonElement(layout, 'restore'))
    return
  }
  const { shown, hidden } = toolRow(layout, app)
  for (const button of shown) list.push(buttonElement(layout, button))
  if (hidden.length === 0) return
  const isOpen = isMenuOpen(state, app)
  list.push(element('toggle-button', 'buttons', MORE, '', { kind: 'menu' }, isOpen))
  if (isOpen) for (const button of hidden) list.push(buttonElement(layout, button))
}

const buttonElement = (layout: Layout, button: Button): Element =>
  element('push-button', 'buttons', buttonWord(layout, button), '', { kind: 'button', button })

function dialogElements(state: DesktopState, dialog: Dialog): Element[] {
  const { fields, choices, ok } = dialogForm(state, dialog)
  const list = fields.map((name, field) =>
    element('entry', 'dialog', name, dialog.fields[field]!, { kind: 'field', field }, field === dialog.focus),
  )
  choices.forEach((name, choice) => {
    if (name === '') return
    list.push(element('radio-button', 'dialog', name, '', { kind: 'choice', choice }, choice === dialog.choice))
  })
  if (ok !== '') list.push(element('push-button', 'dialog', ok, '', { kind: 'ok' }))
  list.push(element('push-button', 'dialog', CANCEL, '', { kind: 'cancel' }))
  return list
}
