/** What the buttons and dialogs of Files do. Each act returns what is said about it, or null if it is refused. */
import { APPS, FILES, TRASH, type FileFact } from './facts.ts'
import { ALL_BUTTON_WORDS, type Button } from './layout.ts'
import { select, showPage, withAt, type DesktopState, type Dialog } from './state.ts'
import { CANCEL, MORE, TRASH_NAME } from './elements.ts'

const MOST_FILES = 16

const selectedFile = (state: DesktopState): FileFact | undefined => state.facts.files[state.items[FILES]!]

/** Whether a file of this name is in the folder. */
function isTaken(files: readonly FileFact[], folder: number, name: string): boolean {
  return files.some((file) => !file.isTrashed && file.folder === folder && file.name === name)
}

/**
 * A name that belongs to another file, or did at the start, is refused everywhere: each file has one name in all folders, so
 * renaming never has to go through a third name.
 */
export function mayBeNamed(state: DesktopState, content: number, folder: number, name: string): boolean {
  if (!/^[a-z0-9]+\.[a-z0-9]+$/.test(name)) return false
  const { files } = state.facts
  if (state.game.start.files.some((file) => file.content !== content && file.name === name)) return false
  return !isTaken(files, folder, name)
}

const RESERVED = new Set<string>([...APPS, ...ALL_BUTTON_WORDS, CANCEL, MORE, TRASH_NAME, 'OK', 'Send'])

/** Folders have names without a full stop, so that none is called like a file. */
export function mayBeFolder(state: DesktopState, name: string): boolean {
  const { folders } = state.facts
  if (!/^[A-Za-z0-9]+$/.test(name) || RESERVED.has(name) || folders.includes(name)) return false
  return folders.length < TRASH
}

function setFile(state: DesktopState, index: number, file: FileFact): void {
  state.facts = { ...state.facts, files: withAt(state.facts.files, index, file) }
}

/** Acts of a button that need no dialog; undefined if the button is of another kind. */
export function pressFilesButton(state: DesktopState, button: Button): string | null | undefined {
  switch (button) {
    case 'delete':
      return state.items[FILES]! < 0 ? removeFolder(state) : deleteFile(state)
    case 'restore':
      return restoreFile(state)
    default:
      return undefined
  }
}

function deleteFile(state: DesktopState): string | null {
  const index = state.items[FILES]!
  const file = selectedFile(state)!
  if (file.isMade) {
    state.facts = { ...state.facts, files: state.facts.files.filter((_, other) => other !== index) }
  } else setFile(state, index, { ...file, isTrashed: true })
  select(state, -1)
  return `${file.name} is deleted.`
}

/** Only folders that were made in the episode can be removed, and only empty ones. */
function removeFolder(state: DesktopState): string | null {
  const page = state.pages[FILES]!
  const { folders, files } = state.facts
  const name = folders[page]
  const isEmpty = !files.some(({ folder }) => folder === page)
  if (name === null || name === undefined || page < state.game.start.folders.length || !isEmpty) return null
  state.facts = { ...state.facts, folders: withAt(folders, page, null) }
  showPage(state, FILES, 0)
  return `${name} is removed.`
}

function restoreFile(state: DesktopState): string | null {
  const file = selectedFile(state)
  if (!file?.isTrashed || isTaken(state.facts.files, file.folder, file.name)) return null
  setFile(state, state.items[FILES]!, { ...file, isTrashed: false })
  select(state, -1)
  return `${file.name} is back in ${state.facts.folders[file.folder]!}.`
}

/** Whether the button opens its dialog now. */
export function opensFilesDialog(state: DesktopState, kind: Dialog['kind']): boolean {
  if (state.pages[FILES] === TRASH) return false
  return kind === 'new' || state.items[FILES]! >= 0
}

export function confirmFiles(state: DesktopState, { kind, fields, choice }: Dialog): string | null {
  if (kind === 'new') {
    const name = fields[0]!
    if (!mayBeFolder(state, name)) return null
    state.facts = { ...state.facts, folders: [...state.facts.folders, name] }
    return `${name} is made.`
  }
  const index = state.items[FILES]!
  const file = selectedFile(state)!
  if (kind === 'rename') {
    const name = fields[0]!
    if (!mayBeNamed(state, file.content, file.folder, name)) return null
    setFile(state, index, { ...file, name })
    return `${file.name} is now ${name}.`
  }
  const folder = state.facts.folders[choice]
  if (folder === null || folder === undefined || isTaken(state.facts.files, choice, file.name)) return null
  if (kind === 'copy') {
    if (state.facts.files.length >= MOST_FILES) return null
    const copy = { ...file, folder: choice, isMade: true }
    state.facts = { ...state.facts, files: [...state.facts.files, copy] }
    return `${file.name} is copied to ${folder}.`
  }
  setFile(state, index, { ...file, folder: choice })
  select(state, -1)
  return `${file.name} is now in ${folder}.`
}
