/** What the buttons and dialogs of Mail do. */
import { ATTACHMENTS, DOWNLOADS, MAIL, draftsBox, sentBox, type SentMail } from './facts.ts'
import type { Button } from './layout.ts'
import { select, withAt, type DesktopState, type Dialog } from './state.ts'
import { mayBeNamed } from './files-acts.ts'

/** Null if refused, undefined if the button is of another kind. */
export function pressMailButton(state: DesktopState, button: Button): string | null | undefined {
  if (button !== 'star' && button !== 'save-file') return undefined
  const item = state.items[MAIL]!
  const fact = state.facts.mails[item]
  if (!fact || fact.box >= sentBox(state.game.desktop)) return null
  const { subject } = state.game.desktop.mails[item]!
  if (button === 'save-file') return saveFile(state, item)
  const isStarred = !fact.isStarred
  state.facts = { ...state.facts, mails: withAt(state.facts.mails, item, { ...fact, isStarred }) }
  return `${subject} has ${isStarred ? 'a' : 'no'} star.`
}

/** The file goes to Downloads. */
function saveFile(state: DesktopState, item: number): string | null {
  const { file } = state.game.desktop.mails[item]!
  const folder = state.facts.folders.indexOf(DOWNLOADS)
  const content = ATTACHMENTS + item
  if (file === '' || !mayBeNamed(state, content, folder, file)) return null
  const saved = { content, name: file, folder, isTrashed: false, isMade: true }
  state.facts = { ...state.facts, files: [...state.facts.files, saved] }
  return `${file} is now in ${DOWNLOADS}.`
}

/** Whether the button opens its dialog now. */
export function opensMailDialog(state: DesktopState, kind: Dialog['kind']): boolean {
  if (kind === 'write') return true
  const { desktop } = state.game
  const box = state.facts.mails[state.items[MAIL]!]?.box
  if (box === undefined) return false
  return kind === 'attach' ? box === draftsBox(desktop) : box < sentBox(desktop)
}

export function confirmMail(state: DesktopState, { kind, fields, choice }: Dialog): string | null {
  const { desktop } = state.game
  const item = state.items[MAIL]!
  const { mails } = state.facts
  switch (kind) {
    case 'move-mail': {
      if (choice < 0 || mails[item]!.box === choice) return null
      state.facts = { ...state.facts, mails: withAt(mails, item, { ...mails[item]!, box: choice }) }
      select(state, -1)
      return `${desktop.mails[item]!.subject} is now in ${desktop.boxes[choice]!}.`
    }
    case 'attach': {
      if (choice < 0 || mails[item]!.attached === choice) return null
      state.facts = { ...state.facts, mails: withAt(mails, item, { ...mails[item]!, attached: choice }) }
      return `${desktop.recentFiles[choice]!} is attached.`
    }
    case 'reply':
      return send(state, { kind: 'reply', about: item, to: desktop.mails[item]!.from, text: fields[0]! })
    case 'forward':
      return send(state, { kind: 'forward', about: item, to: fields[0]!, text: '' })
    default:
      return send(state, { kind: 'new', about: -1, to: fields[0]!, text: fields[1]! })
  }
}

/** There is no way back. */
function send(state: DesktopState, mail: SentMail): string | null {
  if (mail.to === '' || (mail.text === '' && mail.kind !== 'forward')) return null
  state.facts = { ...state.facts, sent: [...state.facts.sent, mail] }
  return `Sent to ${mail.to}.`
}
