/**
 * The desktop once more, to hold the engine to: a table of rules over named things. A rule says when it applies, which names can be
 * clicked, and what a click does. It shares types with the engine and no code, keeps everything by name where the engine has indices,
 * and answers what can be clicked, not what is said.
 */
import type { DesktopGame } from '../../../../src/worlds/desktop/engine/game.ts'

interface TwinFile {
  content: number
  name: string
  folder: string
  trashed: boolean
  made: boolean
}
type Grid = { rows: string[][]; sums: string[] }
type Text = { text: string; marks: string[] }[]

export interface Twin {
  game: DesktopGame
  words: (button: string) => string
  app: string
  page: Record<string, string>
  /** By application; '' for nothing. Files by identity, because names change. */
  chosen: Record<string, TwinFile | string>
  more: Set<string>
  dialog: null | {
    title: string
    about: string
    fields: [string, string][]
    focus: string
    list: string[]
    picked: string
  }
  folders: string[]
  made: string[]
  files: TwinFile[]
  open: { texts: Record<string, Text>; grids: Record<string, Grid> }
  saved: { texts: Record<string, Text>; grids: Record<string, Grid> }
  box: Record<string, string>
  stars: string[]
  attached: Record<string, string>
  sent: string[]
  values: Record<string, string>
  marks: Record<string, string>
  won: boolean
  over: boolean
}

const LEVEL_STEP = 10
const MARK_NAMES = ['bold', 'heading', 'centred']
const copy = structuredClone

export function startTwin(game: DesktopGame, words: (button: string) => string): Twin {
  const { desktop, start } = game
  const texts: Record<string, Text> = {}
  desktop.documents.forEach((name, i) => {
    texts[name] = start.documents[i]!.map(({ text, style }) => ({
      text,
      marks: MARK_NAMES.filter((_, bit) => Math.floor(style / 2 ** bit) % 2 === 1),
    }))
  })
  const grids: Record<string, Grid> = {}
  desktop.tables.forEach(({ name }, i) => {
    grids[name] = { rows: start.tables[i]!.rows.map((row) => [...row]), sums: [] }
  })
  const mails = desktop.mails.map(({ subject }, i) => [subject, start.mails[i]!] as const)
  const page = { Files: start.folders[0]!, Editor: desktop.documents[0]!, Sheet: desktop.tables[0]!.name }
  return {
    game,
    words,
    app: '',
    page: { ...page, Mail: desktop.boxes[0]!, Settings: desktop.sections[0]!, Browser: desktop.site[0]!.name },
    chosen: { Files: '', Editor: '', Sheet: '', Mail: '' },
    more: new Set(),
    dialog: null,
    folders: start.folders.map((name) => name!),
    made: [],
    files: start.files.map(({ content, name, folder, isTrashed }) => ({
      content,
      name,
      folder: start.folders[folder]!,
      trashed: isTrashed,
      made: false,
    })),
    open: { texts: copy(texts), grids: copy(grids) },
    saved: { texts, grids },
    box: Object.fromEntries(mails.map(([subject, { box }]) => [subject, desktop.boxes[box]!])),
    stars: mails.flatMap(([subject, { isStarred }]) => (isStarred ? [subject] : [])),
    attached: {},
    sent: [],
    values: Object.fromEntries(desktop.controls.map((control, i) => [control.name, shown(control, start.values[i]!)])),
    marks: Object.fromEntries(
      desktop.site.flatMap(({ name }, i) =>
        start.bookmarks[i]! < 0 ? [] : [[name, desktop.bookmarkFolders[start.bookmarks[i]!]!]],
      ),
    ),
    won: false,
    over: false,
  }
}

const shown = ({ kind, options }: { kind: string; options: readonly string[] }, value: number) =>
  kind === 'switch' ? ['off', 'on'][value]! : kind === 'choice' ? options[value]! : String(value * LEVEL_STEP)

type Acts = Map<string, () => boolean>

/** Everything that can be clicked, with its effect, which returns whether anything happened. */
export function clickable(t: Twin): Acts {
  const acts: Acts = new Map()
  if (t.dialog) inDialog(t, acts)
  else {
    for (const app of ['Files', 'Editor', 'Sheet', 'Mail', 'Settings', 'Browser']) {
      acts.set(app, () => (t.app === app ? false : ((t.app = app), true)))
    }
    if (t.app) APPLICATIONS[t.app]!(t, acts)
  }
  return acts
}

function inDialog(t: Twin, acts: Acts): void {
  const dialog = t.dialog!
  for (const [name] of dialog.fields) acts.set(name, () => dialog.focus !== name && ((dialog.focus = name), true))
  for (const entry of dialog.list) {
    acts.set(entry, () => {
      if (dialog.title === 'choose') {
        if (t.values[dialog.about] === entry) return false
        t.values[dialog.about] = entry
        t.dialog = null
        return true
      }
      return dialog.picked !== entry && ((dialog.picked = entry), true)
    })
  }
  const isLetter = ['reply', 'forward', 'write'].includes(dialog.title)
  if (dialog.title !== 'choose')
    acts.set(isLetter ? 'Send' : 'OK', () => CONFIRM[dialog.title]!(t) && ((t.dialog = null), true))
  acts.set('Cancel', () => ((t.dialog = null), true))
}

function ask(t: Twin, title: string, fields: string[], list: string[] = [], about = ''): boolean {
  t.dialog = { title, about, fields: fields.map((name) => [name, '']), focus: fields[0] ?? '', list, picked: '' }
  return true
}

function pages(t: Twin, acts: Acts, names: readonly string[]): void {
  for (const name of names) {
    acts.set(name, () => {
      t.page[t.app] = name
      t.chosen[t.app] = ''
      return true
    })
  }
}

function items(
  t: Twin,
  acts: Acts,
  names: readonly string[],
  of: (name: string) => TwinFile | string = (name) => name,
) {
  for (const name of names) acts.set(name, () => t.chosen[t.app] !== of(name) && ((t.chosen[t.app] = of(name)), true))
}

function buttons(t: Twin, acts: Acts, all: Record<string, () => boolean>): void {
  const hidden = Object.keys(all).filter((button) => t.game.layout.nested.includes(button as never))
  for (const [button, effect] of Object.entries(all)) {
    if (!hidden.includes(button) || t.more.has(t.app)) acts.set(t.words(button), effect)
  }
  if (hidden.length > 0) acts.set('More', () => (t.more.has(t.app) ? t.more.delete(t.app) : t.more.add(t.app), true))
}

const APPLICATIONS: Record<string, (t: Twin, acts: Acts) => void> = {
  Files(t, acts) {
    const folder = t.page['Files']!
    pages(t, acts, [...t.folders, 'Trash'])
    const here = t.files.filter((file) => (folder === 'Trash' ? file.trashed : !file.trashed && file.folder === folder))
    items(
      t,
      acts,
      here.map(({ name }) => name),
      (name) => here.find((file) => file.name === name)!,
    )
    const file = t.chosen['Files'] === '' ? null : (t.chosen['Files'] as TwinFile)
    if (folder === 'Trash') {
      acts.set(t.words('restore'), () => {
        if (!file || exists(t, file.folder, file.name)) return false
        file.trashed = false
        t.chosen['Files'] = ''
        return true
      })
      return
    }
    buttons(t, acts, {
      rename: () => file !== null && ask(t, 'rename', ['name']) && ((t.dialog!.fields[0]![1] = file.name), true),
      move: () => file !== null && ask(t, 'move', [], t.folders),
      copy: () => file !== null && ask(t, 'copy', [], t.folders),
      delete: () => (file ? bin(t, file) : demolish(t, folder)),
      new: () => ask(t, 'new', ['name']),
    })
  },
  Editor(t, acts) {
    const text = t.open.texts[t.page['Editor']!]!
    pages(t, acts, t.game.desktop.documents)
    items(
      t,
      acts,
      text.map((_, i) => `line ${i + 1}`),
    )
    const line = text[Number((t.chosen['Editor'] as string).slice(5)) - 1]
    const toggle = (mark: string) => () => {
      if (!line) return false
      line.marks = line.marks.includes(mark) ? line.marks.filter((other) => other !== mark) : [...line.marks, mark]
      return true
    }
    buttons(t, acts, {
      bold: toggle('bold'),
      heading: toggle('heading'),
      centre: toggle('centred'),
      replace: () => ask(t, 'replace', ['find', 'with']),
      save: () => save(t),
      revert: () => {
        t.open.texts[t.page['Editor']!] = copy(startTwin(t.game, t.words).saved.texts[t.page['Editor']!]!)
        return true
      },
    })
  },
  Sheet(t, acts) {
    const name = t.page['Sheet']!
    const grid = t.open.grids[name]!
    const headers = headersOf(t)
    pages(
      t,
      acts,
      t.game.desktop.tables.map((table) => table.name),
    )
    items(t, acts, [...headers, ...grid.rows.flatMap((row, r) => row.map((_, c) => 'abcdefgh'[c]! + (r + 1)))])
    const header = headers.includes(t.chosen['Sheet'] as string) ? (t.chosen['Sheet'] as string) : null
    const sort = (sign: number) => () => {
      if (header === null) return false
      const order = [header, ...headers].map((key) => headers.indexOf(key))
      const rank = (a: string[], b: string[]) => order.map((c) => inOrder(a[c]!, b[c]!)).find((d) => d !== 0) ?? 0
      const rows = [...grid.rows].sort((a, b) => sign * rank(a, b))
      const isSame = JSON.stringify(rows) === JSON.stringify(grid.rows)
      grid.rows = rows
      return !isSame
    }
    buttons(t, acts, {
      'sort-up': sort(1),
      'sort-down': sort(-1),
      sum: () => {
        if (header === null) return false
        grid.sums = grid.sums.includes(header) ? grid.sums.filter((other) => other !== header) : [...grid.sums, header]
        return true
      },
      save: () => save(t),
      revert: () => {
        t.open.grids[name] = copy(startTwin(t.game, t.words).saved.grids[name]!)
        return true
      },
    })
  },
  Mail(t, acts) {
    const { desktop } = t.game
    const box = t.page['Mail']!
    pages(t, acts, desktop.boxes)
    if (box !== 'Sent') {
      items(
        t,
        acts,
        Object.keys(t.box).filter((subject) => t.box[subject] === box),
      )
    }
    const mail = desktop.mails.find(({ subject }) => subject === t.chosen['Mail'])
    if (mail && mail.link >= 0) {
      const target = desktop.site[mail.link]!.name
      acts.set(target, () => {
        t.page['Browser'] = target
        t.app = 'Browser'
        return true
      })
    }
    const isReceived = mail !== undefined && box !== 'Drafts'
    const subject = mail?.subject ?? ''
    buttons(t, acts, {
      star: () => {
        if (!isReceived) return false
        t.stars = t.stars.includes(subject) ? t.stars.filter((other) => other !== subject) : [...t.stars, subject]
        return true
      },
      reply: () => isReceived && ask(t, 'reply', ['text']),
      forward: () => isReceived && ask(t, 'forward', ['to']),
      move: () =>
        isReceived &&
        ask(
          t,
          'move-mail',
          [],
          desktop.boxes.filter((name) => name !== 'Sent' && name !== 'Drafts'),
        ),
      write: () => ask(t, 'write', ['to', 'text']),
      attach: () => mail !== undefined && box === 'Drafts' && ask(t, 'attach', [], [...desktop.recentFiles]),
      'save-file': () => {
        if (!isReceived || mail.file === '') return false
        const content = 100 + desktop.mails.indexOf(mail)
        if (!mayHave(t, content, 'Downloads', mail.file)) return false
        t.files.push({ content, name: mail.file, folder: 'Downloads', trashed: false, made: true })
        return true
      },
    })
  },
  Settings(t, acts) {
    pages(t, acts, t.game.desktop.sections)
    const here = t.game.desktop.sections.indexOf(t.page['Settings']!)
    controls(t, acts, (control) => control.app === 4 && control.section === here)
  },
  Browser(t, acts) {
    const { site, bookmarkFolders } = t.game.desktop
    const page = t.page['Browser']!
    const here = site.find(({ name }) => name === page)
    pages(t, acts, here ? here.links.map((link) => site[link]!.name) : [site[0]!.name])
    if (!here) controls(t, acts, (control) => control.app === 5)
    buttons(t, acts, {
      bookmark: () => {
        if (!here) return false
        if (page in t.marks) return delete t.marks[page]
        return ask(t, 'bookmark', [], [...bookmarkFolders])
      },
      preferences: () => ((t.page['Browser'] = 'preferences'), true),
    })
  },
}

function controls(t: Twin, acts: Acts, isHere: (control: DesktopGame['desktop']['controls'][number]) => boolean): void {
  for (const { name, kind, options, disabled } of t.game.desktop.controls.filter(isHere)) {
    const set = (value: string) => disabled === '' && ((t.values[name] = value), true)
    if (kind === 'switch') acts.set(name, () => set(t.values[name] === 'on' ? 'off' : 'on'))
    else if (kind === 'choice') acts.set(name, () => disabled === '' && ask(t, 'choose', [], [...options], name))
    else {
      const value = Number(t.values[name])
      acts.set(name, () => false)
      acts.set(`${name} +`, () => value < 100 && set(String(value + LEVEL_STEP)))
      acts.set(`${name} -`, () => value > 0 && set(String(value - LEVEL_STEP)))
    }
  }
}

const CONFIRM: Record<string, (t: Twin) => boolean> = {
  rename(t) {
    const file = t.chosen['Files'] as TwinFile
    const name = field(t, 'name')
    return mayHave(t, file.content, file.folder, name) && ((file.name = name), true)
  },
  move(t) {
    const file = t.chosen['Files'] as TwinFile
    const { picked } = t.dialog!
    if (picked === '' || exists(t, picked, file.name)) return false
    file.folder = picked
    t.chosen['Files'] = ''
    return true
  },
  copy(t) {
    const file = t.chosen['Files'] as TwinFile
    const { picked } = t.dialog!
    if (picked === '' || exists(t, picked, file.name) || t.files.length >= 16) return false
    t.files.push({ ...file, folder: picked, made: true })
    return true
  },
  new(t) {
    const name = field(t, 'name')
    // No name of random play is one of a button or an application; what is free is what is no folder.
    const isFree = /^[A-Za-z0-9]+$/.test(name) && !t.folders.includes(name)
    if (!isFree || t.game.start.folders.length + t.made.length >= 7) return false
    t.folders.push(name)
    t.made.push(name)
    return true
  },
  replace(t) {
    const [find, put] = [field(t, 'find'), field(t, 'with')]
    const text = t.open.texts[t.page['Editor']!]!
    const hits = text.filter((line) => line.text.split(' ').includes(find))
    if (find === '' || put === '' || find === put || hits.length === 0) return false
    for (const line of hits)
      line.text = line.text
        .split(' ')
        .map((word) => (word === find ? put : word))
        .join(' ')
    return true
  },
  'move-mail'(t) {
    const subject = t.chosen['Mail'] as string
    const { picked } = t.dialog!
    if (picked === '' || t.box[subject] === picked) return false
    t.box[subject] = picked
    t.chosen['Mail'] = ''
    return true
  },
  attach(t) {
    const subject = t.chosen['Mail'] as string
    const { picked } = t.dialog!
    return picked !== '' && t.attached[subject] !== picked && ((t.attached[subject] = picked), true)
  },
  reply: (t) => {
    const mail = t.game.desktop.mails.find(({ subject }) => subject === t.chosen['Mail'])!
    return field(t, 'text') !== '' && t.sent.push(`reply ${mail.subject} ${mail.from} ${field(t, 'text')}`) > 0
  },
  forward: (t) => field(t, 'to') !== '' && t.sent.push(`forward ${t.chosen['Mail'] as string} ${field(t, 'to')} `) > 0,
  write: (t) =>
    field(t, 'to') !== '' && field(t, 'text') !== '' && t.sent.push(`new  ${field(t, 'to')} ${field(t, 'text')}`) > 0,
  bookmark(t) {
    const { picked } = t.dialog!
    return picked !== '' && ((t.marks[t.page['Browser']!] = picked), true)
  },
}

const field = (t: Twin, name: string): string => t.dialog!.fields.find(([own]) => own === name)![1]
const headersOf = (t: Twin) => t.game.desktop.tables.find(({ name }) => name === t.page['Sheet'])!.headers
const isDigits = (text: string) => !Number.isNaN(Number(text)) && text.trim() !== ''
function inOrder(a: string, b: string): number {
  if (isDigits(a) && isDigits(b)) return Math.sign(Number(a) - Number(b))
  if (isDigits(a) || isDigits(b)) return isDigits(a) ? -1 : 1
  return a === b ? 0 : [a, b].sort()[0] === a ? -1 : 1
}

const exists = (t: Twin, folder: string, name: string) =>
  t.files.some((file) => !file.trashed && file.folder === folder && file.name === name)

function mayHave(t: Twin, content: number, folder: string, name: string): boolean {
  const isOthers = t.game.start.files.some((file) => file.name === name && file.content !== content)
  return /^[a-z0-9]+\.[a-z0-9]+$/.test(name) && !isOthers && !exists(t, folder, name)
}

function bin(t: Twin, file: TwinFile): boolean {
  if (file.made) t.files = t.files.filter((other) => other !== file)
  else file.trashed = true
  t.chosen['Files'] = ''
  return true
}

function demolish(t: Twin, folder: string): boolean {
  if (!t.made.includes(folder) || !t.folders.includes(folder) || t.files.some((file) => file.folder === folder))
    return false
  t.folders = t.folders.filter((name) => name !== folder)
  t.page['Files'] = t.folders[0]!
  t.chosen['Files'] = ''
  return true
}

function save(t: Twin): boolean {
  if (t.app === 'Editor') t.saved.texts[t.page['Editor']!] = copy(t.open.texts[t.page['Editor']!]!)
  else t.saved.grids[t.page['Sheet']!] = copy(t.open.grids[t.page['Sheet']!]!)
  return true
}

/** Plays a command; returns whether anything happened. Knows nothing of `done` and `fail`. */
export function playTwin(t: Twin, command: string): boolean {
  const [verb, ...words] = command.split(' ')
  const rest = words.join(' ')
  const press = (name: string) => clickable(t).get(name)?.() ?? false
  if (verb === 'click') return press(rest)
  if (verb === 'key') {
    if (rest === 'escape') return t.dialog !== null && press('Cancel')
    if (rest === 'enter') return t.dialog !== null && (press('OK') || press('Send'))
    if (rest === 'ctrl s') return t.dialog === null && press(t.words('save'))
    return t.dialog === null && t.app === 'Files' && press(t.words('delete'))
  }
  if (verb !== 'type') return false
  if (t.dialog) {
    const at = t.dialog.fields.findIndex(([name]) => name === t.dialog!.focus)
    const entry = t.dialog.fields[at]
    if (!entry || entry[1] === rest) return false
    entry[1] = rest
    t.dialog.focus = (t.dialog.fields[at + 1] ?? entry)[0]
    return true
  }
  const at = t.chosen[t.app]
  if (t.app === 'Editor' && at !== '') {
    const line = t.open.texts[t.page['Editor']!]![Number((at as string).slice(5)) - 1]!
    return line.text !== rest && ((line.text = rest), true)
  }
  if (t.app !== 'Sheet' || typeof at !== 'string' || !/^[a-h]\d$/.test(at) || rest.includes(' ')) return false
  const row = t.open.grids[t.page['Sheet']!]!.rows[Number(at[1]) - 1]!
  const column = 'abcdefgh'.indexOf(at[0]!)
  return row[column] !== rest && ((row[column] = rest), true)
}
