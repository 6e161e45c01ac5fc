/**
 * What a desktop consists of. Durable facts (files, saved documents, mail, settings, bookmarks) are what tasks are about; everything
 * else, such as the folder in view or unsaved text, is in state.ts. All of it is plain data, and facts are replaced, never mutated.
 */

export const APPS = ['Files', 'Editor', 'Sheet', 'Mail', 'Settings', 'Browser'] as const
export const FILES = 0
export const EDITOR = 1
export const SHEET = 2
export const MAIL = 3
export const SETTINGS = 4
export const BROWSER = 5

/** The page of Files that shows deleted files. Folders have smaller numbers. */
export const TRASH = 7
/** The last of the folders that a desktop starts with: attachments are saved into it. */
export const DOWNLOADS = 'Downloads'

export interface FileFact {
  /** Identity of what is in the file; copies share it. */
  content: number
  name: string
  /** Index of the folder; of a deleted file, the folder that Restore brings it back to. */
  folder: number
  isTrashed: boolean
  /** Whether it was made in this episode: deleting it leaves nothing behind. */
  isMade: boolean
}

export const style = { bold: 1, heading: 2, centred: 4 } as const

export interface Line {
  text: string
  /** Bits of `style`. */
  style: number
}

export interface Table {
  /** rows[row][column]. */
  rows: readonly (readonly string[])[]
  /** Bit c is set if the sum of column c is shown under it. */
  totals: number
}

export interface MailFact {
  box: number
  isStarred: boolean
  /** Index into `Desktop.recentFiles`, for the draft; -1 for none. */
  attached: number
}

export interface SentMail {
  kind: 'reply' | 'forward' | 'new'
  /** The mail that is answered or forwarded; -1 for a new one. */
  about: number
  to: string
  /** '' for a forwarded mail, which keeps its text. */
  text: string
}

export interface Facts {
  /** By index; null for a folder that was made and removed again. */
  folders: readonly (string | null)[]
  files: readonly FileFact[]
  /** documents[document][line]. */
  documents: readonly (readonly Line[])[]
  tables: readonly Table[]
  mails: readonly MailFact[]
  sent: readonly SentMail[]
  /** One for each of `Desktop.controls`: 0 or 1 for a switch, the index of an option, or tenths of a level. */
  values: readonly number[]
  /** By page of the site: the index of a folder of bookmarks, or -1. */
  bookmarks: readonly number[]
}

export interface Mail {
  from: string
  subject: string
  text: string
  /** The name of its attachment, or ''. The content of its file is ATTACHMENTS plus the mail's index. */
  file: string
  /** The page of the site that it links to, or -1. */
  link: number
}

/** Contents of attachments have numbers from here on. */
export const ATTACHMENTS = 100

export interface Control {
  name: string
  /** SETTINGS or BROWSER. */
  app: number
  /** The section of Settings; unused in the browser, which has a single page of preferences. */
  section: number
  kind: 'switch' | 'choice' | 'level'
  /** What a choice offers; empty for the others. */
  options: readonly string[]
  /** Why it cannot be changed, or ''. */
  disabled: string
}

export interface SitePage {
  name: string
  /** Indices of pages. */
  links: readonly number[]
}

/** What no act changes. */
export interface Desktop {
  documents: readonly string[]
  tables: readonly { name: string; headers: readonly string[] }[]
  boxes: readonly string[]
  mails: readonly Mail[]
  sections: readonly string[]
  controls: readonly Control[]
  site: readonly SitePage[]
  bookmarkFolders: readonly string[]
  /** Files that can be attached to the draft. */
  recentFiles: readonly string[]
}

export const INBOX = 0
/** The boxes after the first `boxes.length - 2` hold what was sent, and the draft. */
export const sentBox = (desktop: Desktop) => desktop.boxes.length - 2
export const draftsBox = (desktop: Desktop) => desktop.boxes.length - 1
/** The browser's page of preferences comes after the site's. */
export const preferencesPage = (desktop: Desktop) => desktop.site.length
export const LEVELS = 10
