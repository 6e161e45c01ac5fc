/**
 * How a desktop looks: words and order of the buttons, which of them are in a More menu, the order of the dock. A layout changes what
 * is read and clicked, never what a button does.
 */
import { BROWSER, EDITOR, FILES, MAIL, SETTINGS, SHEET } from './facts.ts'

export const BUTTONS = {
  [FILES]: ['rename', 'move', 'copy', 'delete', 'new'],
  [EDITOR]: ['bold', 'heading', 'centre', 'replace', 'save', 'revert'],
  [SHEET]: ['sort-up', 'sort-down', 'sum', 'save', 'revert'],
  [MAIL]: ['star', 'reply', 'forward', 'move', 'write', 'attach', 'save-file'],
  [SETTINGS]: [],
  [BROWSER]: ['bookmark', 'preferences'],
} as const satisfies Record<number, readonly string[]>

export type Button = (typeof BUTTONS)[keyof typeof BUTTONS][number] | 'restore'

/** Three words for every button, so that a model cannot rely on one. */
const WORDS: Readonly<Record<Button, readonly [string, string, string]>> = {
  rename: ['Rename', 'Retitle', 'Name'],
  move: ['Move', 'Transfer', 'Shift'],
  copy: ['Copy', 'Duplicate', 'Clone'],
  delete: ['Delete', 'Remove', 'Discard'],
  new: ['New', 'Create', 'Add'],
  restore: ['Restore', 'Recover', 'Return'],
  bold: ['Bold', 'Strong', 'Thick'],
  heading: ['Heading', 'Title', 'Headline'],
  centre: ['Centre', 'Middle', 'Align'],
  replace: ['Replace', 'Substitute', 'Exchange'],
  save: ['Save', 'Keep', 'Store'],
  revert: ['Revert', 'Undo', 'Reset'],
  'sort-up': ['Ascending', 'Smallest', 'Rising'],
  'sort-down': ['Descending', 'Largest', 'Falling'],
  sum: ['Sum', 'Total', 'Addition'],
  star: ['Star', 'Flag', 'Pin'],
  reply: ['Reply', 'Answer', 'Respond'],
  forward: ['Forward', 'Pass', 'Share'],
  write: ['Write', 'Compose', 'Draft'],
  attach: ['Attach', 'Insert', 'Enclose'],
  'save-file': ['Download', 'Extract', 'Fetch'],
  bookmark: ['Bookmark', 'Favourite', 'Remember'],
  preferences: ['Preferences', 'Options', 'Setup'],
}

/** Buttons that a More menu may hide. The others have a shortcut, or undo mistakes. */
export const NESTABLE: readonly Button[] = [
  'rename',
  'move',
  'copy',
  'new',
  'bold',
  'heading',
  'centre',
  'replace',
  'sort-up',
  'sort-down',
  'sum',
  'star',
  'reply',
  'forward',
  'attach',
  'bookmark',
]

/** Which buttons are in the More menu of a generated layout. */
const NESTINGS: readonly (readonly Button[])[] = [
  [],
  ['rename', 'replace', 'sort-down', 'forward'],
  ['copy', 'heading', 'sum', 'star', 'bookmark'],
  ['move', 'centre', 'sort-up', 'reply'],
]

export interface Layout {
  words: 0 | 1 | 2
  order: 0 | 1 | 2
  /** In the More menu. */
  nested: readonly Button[]
  /** Where the dock is; seen in pixels only. */
  dock: 'left' | 'bottom'
}

export const WORDINGS = 3
export const ORDERS = 3
export const NESTING_COUNT = NESTINGS.length

export function layoutOf(words: number, order: number, nesting: number): Layout {
  return {
    words: words as Layout['words'],
    order: order as Layout['order'],
    nested: NESTINGS[nesting]!,
    dock: (words + order + nesting) % 2 === 0 ? 'left' : 'bottom',
  }
}

export const buttonWord = (layout: Layout, button: Button): string => WORDS[button][layout.words]

/** Every word on a button, in every layout. */
export const ALL_BUTTON_WORDS: readonly string[] = Object.values(WORDS).flat()

export interface ToolRow {
  shown: readonly Button[]
  hidden: readonly Button[]
}

const rows = new WeakMap<Layout, ToolRow[]>()

/** The buttons of an application, in the layout's order: those in its row, and those in its More menu. */
export function toolRow(layout: Layout, app: number): ToolRow {
  let ofLayout = rows.get(layout)
  if (!ofLayout) {
    ofLayout = [FILES, EDITOR, SHEET, MAIL, SETTINGS, BROWSER].map((index) => {
      const buttons = ordered(BUTTONS[index as keyof typeof BUTTONS], layout.order)
      const isHidden = (button: Button) => layout.nested.includes(button)
      return { shown: buttons.filter((button) => !isHidden(button)), hidden: buttons.filter(isHidden) }
    })
    rows.set(layout, ofLayout)
  }
  return ofLayout[app]!
}

/** As it is, reversed, or with the second half first. */
function ordered(buttons: readonly Button[], order: number): Button[] {
  if (order === 1) return [...buttons].reverse()
  const half = order === 2 ? buttons.length >> 1 : 0
  return [...buttons.slice(half), ...buttons.slice(0, half)]
}
