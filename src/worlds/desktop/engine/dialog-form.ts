/** What a dialog asks for: text fields, or a list to choose from. */
import { sentBox } from './facts.ts'
import type { DesktopState, Dialog } from './state.ts'

export interface DialogForm {
  fields: readonly string[]
  /** '' cannot be chosen. */
  choices: readonly string[]
  /** '' if choosing closes the dialog. */
  ok: string
}

const NAME: DialogForm = { fields: ['name'], choices: [], ok: 'OK' }
const FORMS: Readonly<Partial<Record<Dialog['kind'], DialogForm>>> = {
  rename: NAME,
  new: NAME,
  replace: { fields: ['find', 'with'], choices: [], ok: 'OK' },
  reply: { fields: ['text'], choices: [], ok: 'Send' },
  forward: { fields: ['to'], choices: [], ok: 'Send' },
  write: { fields: ['to', 'text'], choices: [], ok: 'Send' },
}

export function dialogForm(state: DesktopState, { kind, control }: Pick<Dialog, 'kind' | 'control'>): DialogForm {
  const { desktop } = state.game
  const list = (choices: readonly string[], ok = 'OK'): DialogForm => ({ fields: [], choices, ok })
  switch (kind) {
    case 'move':
    case 'copy':
      return list(state.facts.folders.map((folder) => folder ?? ''))
    case 'move-mail':
      return list(desktop.boxes.slice(0, sentBox(desktop)))
    case 'attach':
      return list(desktop.recentFiles)
    case 'bookmark':
      return list(desktop.bookmarkFolders)
    case 'choose':
      return list(desktop.controls[control]!.options, '')
    default:
      return FORMS[kind]!
  }
}
