/** Draws a desktop: its files, documents, tables, mail, settings and site, before anything is asked. */
import { pick, integer, shuffled, chance, type Random } from '../../random.ts'
import {
  DOWNLOADS,
  INBOX,
  LEVELS,
  type Control,
  type Desktop,
  type Facts,
  type FileFact,
  type Line,
  type Mail,
  type SitePage,
  type Table,
} from '../engine/facts.ts'
import { controlsOf } from './controls.ts'
import * as words from './words.ts'

export interface DrawnDesktop {
  desktop: Desktop
  facts: Facts
  /** Names of files that are nowhere. */
  freeNames: readonly string[]
  random: Random
}

const LINES = 4
const ROWS = 3

export function drawDesktop(random: Random, sections: 0 | 1): DrawnDesktop {
  const names = shuffled(random, words.NOUNS).map((noun) => `${noun}.${pick(random, words.ENDINGS)}`)
  const take = (count: number) => names.splice(0, count)
  const folders = [...shuffled(random, words.FOLDERS).slice(0, 3), DOWNLOADS]
  const site = drawSite(random)
  const boxes = ['Inbox', ...shuffled(random, words.BOXES).slice(0, 2), 'Sent', 'Drafts']
  const mails = drawMails(random, take(2), site.length)
  const controls = controlsOf(sections)
  const tables = shuffled(random, words.TABLES)
    .slice(0, 2)
    .map((name) => ({ name, headers: [words.GOODS_HEADER, ...shuffled(random, words.NUMBER_HEADERS).slice(0, 2)] }))
  const desktop: Desktop = {
    documents: shuffled(random, words.DOCUMENTS).slice(0, 2),
    tables,
    boxes,
    mails,
    sections: words.SECTIONS,
    controls,
    site,
    bookmarkFolders: shuffled(random, words.BOOKMARK_FOLDERS).slice(0, 3),
    recentFiles: take(3),
  }
  const facts: Facts = {
    folders,
    files: drawFiles(random, take(integer(random, 5, 7)), folders.length),
    documents: desktop.documents.map(() => drawLines(random)),
    tables: tables.map(({ headers }) => drawTable(random, headers.length)),
    mails: mails.map((_, index) => ({
      box: index === mails.length - 1 ? boxes.length - 1 : chance(random, 0.6) ? INBOX : integer(random, 1, 2),
      isStarred: index < mails.length - 1 && chance(random, 0.15),
      attached: -1,
    })),
    sent: [],
    values: controls.map((control) => drawValue(random, control)),
    bookmarks: site.map(() => (chance(random, 0.15) ? integer(random, 0, desktop.bookmarkFolders.length - 1) : -1)),
  }
  return { desktop, facts, freeNames: names, random }
}

/** The last one is in the trash. */
function drawFiles(random: Random, names: readonly string[], folders: number): FileFact[] {
  return names.map((name, content) => ({
    content,
    name,
    folder: integer(random, 0, folders - 2),
    isTrashed: content === names.length - 1,
    isMade: false,
  }))
}

const drawText = (random: Random) => `${pick(random, words.ADJECTIVES)} ${pick(random, words.THINGS)}`

function drawLines(random: Random): Line[] {
  const texts = new Set<string>()
  while (texts.size < LINES) texts.add(drawText(random))
  return [...texts].map((text, index) => ({ text, style: index === 0 && chance(random, 0.3) ? 2 : 0 }))
}

function drawTable(random: Random, columns: number): Table {
  const goods = shuffled(random, words.GOODS).slice(0, ROWS)
  const numbers = Array.from({ length: columns - 1 }, () => differentNumbers(random, ROWS))
  return { rows: goods.map((good, row) => [good, ...numbers.map((column) => String(column[row]!))]), totals: 0 }
}

function differentNumbers(random: Random, count: number): number[] {
  const numbers = new Set<number>()
  while (numbers.size < count) numbers.add(integer(random, 1, 30))
  return [...numbers]
}

/** The last one is the draft. */
function drawMails(random: Random, files: readonly string[], pages: number): Mail[] {
  const people = shuffled(random, words.PEOPLE)
  const subjects = shuffled(random, words.SUBJECTS).slice(0, integer(random, 5, 6))
  const linked = integer(random, 0, 1)
  return subjects.map((subject, index) => {
    const isDraft = index === subjects.length - 1
    return {
      from: isDraft ? 'you' : people[index % 4]!,
      subject,
      text: pick(random, words.MAIL_TEXTS),
      file: index === 2 ? files[0]! : index === 3 ? files[1]! : '',
      link: index === linked ? integer(random, 1, pages - 1) : -1,
    }
  })
}

/** A first page, two below it, and two below each of those, which link to the first page and to one another. */
function drawSite(random: Random): SitePage[] {
  const names = shuffled(random, words.PAGES).slice(0, 6)
  return [
    { name: words.HOME_PAGE, links: [1, 2] },
    { name: names[0]!, links: [0, 3, 4] },
    { name: names[1]!, links: [0, 5, 6] },
    { name: names[2]!, links: [0, 4] },
    { name: names[3]!, links: [0, 1] },
    { name: names[4]!, links: [0, 6] },
    { name: names[5]!, links: [0, 2] },
  ]
}

function drawValue(random: Random, { kind, options }: Control): number {
  if (kind === 'switch') return integer(random, 0, 1)
  return kind === 'choice' ? integer(random, 0, options.length - 1) : integer(random, 2, LEVELS - 2)
}
