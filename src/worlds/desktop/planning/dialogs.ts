/** How the dialog in front would be filled in to do something that the goal wants. */
import { BROWSER, EDITOR, FILES, MAIL } from '../engine/facts.ts'
import type { DesktopState, Dialog } from '../engine/state.ts'
import { unsent } from './mail-plan.ts'
import { replacements } from './document-plans.ts'

export function wantedDialogs(state: DesktopState, dialog: Dialog): Dialog[] {
  const { game, facts, items, pages } = state
  const { goal } = game
  const filled = (...fields: string[]): Dialog => ({ ...dialog, fields })
  const chosen = (choice: number): Dialog => ({ ...dialog, choice })
  const mail = items[MAIL]!
  switch (dialog.kind) {
    case 'rename':
      return unique(aims(state).map(({ name }) => name)).map((name) => filled(name))
    case 'move':
    case 'copy': {
      const folders = aims(state).map(({ folder }) => facts.folders.indexOf(goal.folders[folder]!))
      return unique(folders)
        .filter((folder) => folder >= 0)
        .map(chosen)
    }
    case 'new':
      return goal.folders.filter((name) => !facts.folders.includes(name)).map((name) => filled(name!))
    case 'replace': {
      const page = pages[EDITOR]!
      const pairs = replacements(state.documents[page]!, goal.documents[page]!)
      return pairs.map(({ find, put }) => filled(find, put))
    }
    case 'move-mail':
      return [chosen(goal.mails[mail]!.box)]
    case 'attach':
      return [chosen(goal.mails[mail]!.attached)]
    case 'choose':
      return [chosen(goal.values[dialog.control]!)]
    case 'bookmark':
      return [chosen(goal.bookmarks[pages[BROWSER]!]!)]
    case 'reply':
      return toSend(state, 'reply', mail).map(({ text }) => filled(text))
    case 'forward':
      return toSend(state, 'forward', mail).map(({ to }) => filled(to))
    case 'write':
      return toSend(state, 'new', -1).map(({ to, text }) => filled(to, text))
  }
}

/** What the goal wants of the selected file's content. */
function aims({ game, facts, items }: DesktopState) {
  const { content } = facts.files[items[FILES]!]!
  return game.goal.files.filter((file) => file.content === content)
}

const toSend = (state: DesktopState, kind: string, about: number) =>
  (unsent(state) ?? []).filter((mail) => mail.kind === kind && mail.about === about)

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]
