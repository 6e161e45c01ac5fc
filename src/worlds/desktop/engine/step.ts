/**
 * Plays a command: a pure, deterministic function of the state. Without `done` or `fail` nothing is won, and running out of steps
 * loses, infeasible tasks included.
 */
import { BROWSER, EDITOR, FILES, MAIL, SHEET, TRASH } from './facts.ts'
import { parseCommand, type Command, type Shortcut } from './commands.ts'
import {
  chooseOption,
  confirmBookmark,
  isBookmarkable,
  removeBookmark,
  showPreferences,
  useControl,
} from './controls.ts'
import { confirmReplace, pressEditorButton, pressSheetButton, typeCell, typeLine } from './document-acts.ts'
import { dialogForm } from './dialog-form.ts'
import { elementsOf, itemName, type Effect } from './elements.ts'
import { confirmFiles, opensFilesDialog, pressFilesButton } from './files-acts.ts'
import type { Button } from './layout.ts'
import { confirmMail, opensMailDialog, pressMailButton } from './mail-acts.ts'
import { applicationText, buttonsText, dialogText, mailText, nothingHappens, pageText } from './observations.ts'
import { markSeen, select, showPage, withAt, type DesktopState, type Dialog, type DialogKind } from './state.ts'
import { isGoalMet, isRightToGiveUp } from './verdict.ts'

export interface StepOutcome {
  observation: string
  won: boolean
  /** Stopped, or out of steps. */
  done: boolean
  /** Whether anything happened. */
  accepted: boolean
}

/** Plays one command and changes `state`. Has no effect once the task is over. */
export function step(state: DesktopState, text: string): StepOutcome {
  if (state.done) return { observation: nothingHappens, won: state.won, done: true, accepted: false }
  const command = parseCommand(text)
  const said = command && perform(state, command)
  return finish(state, said)
}

/** Clicks an element that is on the screen, as found by its place. */
export function clickStep(state: DesktopState, effect: Effect): StepOutcome {
  if (state.done) return { observation: nothingHappens, won: state.won, done: true, accepted: false }
  return finish(state, act(state, effect))
}

function finish(state: DesktopState, said: string | null): StepOutcome {
  if (said !== null) markSeen(state)
  state.steps++
  if (state.steps >= state.stepLimit) state.done = true
  return { observation: said ?? nothingHappens, won: state.won, done: state.done, accepted: said !== null }
}

/** Returns what is said; null if nothing happens. */
export function perform(state: DesktopState, command: Command): string | null {
  switch (command.verb) {
    case 'done':
    case 'fail':
      state.won = command.verb === 'done' ? state.game.evidence === null && isGoalMet(state) : isRightToGiveUp(state)
      state.hasStopped = true
      state.done = true
      return command.verb === 'done' ? 'You stop here.' : 'You give up.'
    case 'type':
      return type(state, command.text)
    case 'key':
      return press(state, command.key)
    default: {
      const found = elementsOf(state).find(({ name }) => name === command.name)
      if (!found) return null
      if (command.verb === 'open' && !canBeOpened(found.effect)) return null
      return act(state, found.effect)
    }
  }
}

/** Whether a double click does the same as a click. */
export const canBeOpened = ({ kind }: Effect): boolean => kind === 'app' || kind === 'page' || kind === 'item'

function type(state: DesktopState, text: string): string | null {
  const { dialog, front } = state
  if (!dialog) return front === EDITOR ? typeLine(state, text) : front === SHEET ? typeCell(state, text) : null
  const { fields } = dialogForm(state, dialog)
  if (fields.length === 0 || dialog.fields[dialog.focus] === text) return null
  const focus = Math.min(dialog.focus + 1, fields.length - 1)
  state.dialog = { ...dialog, fields: withAt(dialog.fields, dialog.focus, text), focus }
  return dialogText(state, state.dialog)
}

function press(state: DesktopState, key: Shortcut): string | null {
  const { dialog, front } = state
  switch (key) {
    case 'enter':
      return dialog && dialog.kind !== 'choose' ? confirmDialog(state) : null
    case 'escape':
      return dialog ? cancel(state) : null
    case 'ctrl s':
      return !dialog && (front === EDITOR || front === SHEET) ? pressButton(state, 'save') : null
    case 'delete':
      return !dialog && front === FILES && state.pages[FILES] !== TRASH ? pressButton(state, 'delete') : null
  }
}

/** The effect of a click. Returns what is said; null if nothing happens. */
export function act(state: DesktopState, effect: Effect): string | null {
  switch (effect.kind) {
    case 'app':
      if (state.front === effect.app) return null
      return showApplication(state, effect.app)
    case 'page':
      showPage(state, state.front, effect.page)
      return pageText(state)
    case 'item':
      return selectItem(state, effect.item)
    case 'menu':
      state.menus ^= 1 << state.front
      return buttonsText(elementsOf(state))
    case 'button':
      return pressButton(state, effect.button)
    case 'control':
      return changeControl(state, effect.control, effect.change)
    case 'mail-link':
      state.pages = withAt(state.pages, BROWSER, effect.page)
      return showApplication(state, BROWSER)
    case 'field':
      return focusField(state, effect.field)
    case 'choice':
      return choose(state, effect.choice)
    case 'ok':
      return confirmDialog(state)
    case 'cancel':
      return cancel(state)
    case 'none':
      return null
  }
}

function showApplication(state: DesktopState, app: number): string {
  state.front = app
  return applicationText(state)
}

function selectItem(state: DesktopState, item: number): string | null {
  const { front, items } = state
  if (items[front] === item) return null
  select(state, item)
  return front === MAIL ? mailText(state, item) : `${itemName(state, item)} is selected.`
}

const DIALOG_OF: Readonly<Partial<Record<Button, DialogKind>>> = {
  rename: 'rename',
  copy: 'copy',
  new: 'new',
  replace: 'replace',
  reply: 'reply',
  forward: 'forward',
  write: 'write',
  attach: 'attach',
}

function pressButton(state: DesktopState, button: Button): string | null {
  const { front } = state
  const said =
    front === FILES
      ? pressFilesButton(state, button)
      : front === EDITOR
        ? pressEditorButton(state, button)
        : front === SHEET
          ? pressSheetButton(state, button)
          : front === MAIL
            ? pressMailButton(state, button)
            : pressBrowserButton(state, button)
  if (said !== undefined) return said
  const kind = button === 'move' ? (front === MAIL ? 'move-mail' : 'move') : DIALOG_OF[button]!
  if (front === FILES && !opensFilesDialog(state, kind)) return null
  if (front === MAIL && !opensMailDialog(state, kind)) return null
  return openDialog(state, kind)
}

function pressBrowserButton(state: DesktopState, button: Button): string | null {
  if (button === 'preferences') {
    showPreferences(state)
    return pageText(state)
  }
  if (!isBookmarkable(state)) return null
  return removeBookmark(state) ?? openDialog(state, 'bookmark')
}

function openDialog(state: DesktopState, kind: DialogKind, control = -1): string {
  const fields = dialogForm(state, { kind, control }).fields.map(() => '')
  if (kind === 'rename') fields[0] = state.facts.files[state.items[FILES]!]!.name
  state.dialog = { kind, fields, focus: 0, choice: -1, control }
  return dialogText(state, state.dialog)
}

function changeControl(state: DesktopState, index: number, change: number): string | null {
  const control = state.game.desktop.controls[index]!
  if (control.kind === 'choice' && control.disabled === '') return openDialog(state, 'choose', index)
  return useControl(state, index, change)
}

function focusField(state: DesktopState, field: number): string | null {
  const dialog = state.dialog!
  if (dialog.focus === field) return null
  state.dialog = { ...dialog, focus: field }
  return `${dialogForm(state, dialog).fields[field]!} is selected.`
}

function choose(state: DesktopState, choice: number): string | null {
  const dialog = state.dialog!
  if (dialog.choice === choice) return null
  const chosen = { ...dialog, choice }
  if (dialog.kind === 'choose') {
    const said = chooseOption(state, chosen)
    if (said !== null) state.dialog = null
    return said
  }
  state.dialog = chosen
  return `${dialogForm(state, dialog).choices[choice]!} is selected.`
}

function cancel(state: DesktopState): string {
  state.dialog = null
  return 'Closed.'
}

const CONFIRMS: Readonly<Record<DialogKind, (state: DesktopState, dialog: Dialog) => string | null>> = {
  rename: confirmFiles,
  move: confirmFiles,
  copy: confirmFiles,
  new: confirmFiles,
  replace: confirmReplace,
  'move-mail': confirmMail,
  attach: confirmMail,
  reply: confirmMail,
  forward: confirmMail,
  write: confirmMail,
  choose: chooseOption,
  bookmark: confirmBookmark,
}

/** Applies the dialog in front and closes it; null, and it stays, if it cannot be applied. */
export function confirmDialog(state: DesktopState): string | null {
  const dialog = state.dialog!
  const said = CONFIRMS[dialog.kind](state, dialog)
  if (said !== null) state.dialog = null
  return said
}
