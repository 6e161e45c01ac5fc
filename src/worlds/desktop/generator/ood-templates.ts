/** Tasks of the browser and of two applications, which reinforcement learning never sees. */
import { integer, pick, type Random } from '../../random.ts'
import { ATTACHMENTS, BROWSER, SHEET, type FileFact } from '../engine/facts.ts'
import { sumOf } from '../engine/values.ts'
import { withAt } from '../engine/state.ts'
import type { Missing } from '../engine/game.ts'
import { mailPlace } from './mail-templates.ts'
import { setPreference } from './setting-templates.ts'
import { defineTemplate, indexIn, pagesBelow, type Place, type Template } from './template.ts'
import { PEOPLE } from './words.ts'

/** A page of the site other than the first. */
const drawPage = ({ desktop }: Place, random: Random): number => integer(random, 1, desktop.site.length - 1)
const drawFolder = ({ desktop }: Place, random: Random): number =>
  integer(random, 0, desktop.bookmarkFolders.length - 1)

/** The sentence never says how to reach a page. */
const pagePlace = ({ desktop }: Place, page: number): { missing: Missing[]; place: string } => ({
  missing: [{ app: BROWSER, at: 1 << page, mayHold: pagesBelow(desktop.site.length) }],
  place: '',
})

const setBookmarkFolder = <P extends { folder: number }>({ desktop }: Place, parameters: P, value: string) => {
  const folder = indexIn(desktop.bookmarkFolders, value)
  return folder === null ? null : { ...parameters, folder }
}

const bookmarkPage = defineTemplate<{ page: number; folder: number }>({
  name: 'bookmark-page',
  domain: 'browser',
  isOodTemplate: true,
  draw: (drawn, random) => ({ page: drawPage(drawn, random), folder: drawFolder(drawn, random) }),
  request(place, { page, folder }) {
    const { desktop, facts } = place
    if (facts.bookmarks[page]! >= 0) return null
    const { name } = desktop.site[page]!
    return {
      sentence: `bookmark the page ${name} in ${desktop.bookmarkFolders[folder]!}.`,
      object: name,
      target: desktop.bookmarkFolders[folder]!,
      goal: { ...facts, bookmarks: withAt(facts.bookmarks, page, folder) },
      ...pagePlace(place, page),
    }
  },
  settable: { folder: setBookmarkFolder },
})

const visitPage = defineTemplate<{ page: number }>({
  name: 'visit-page',
  domain: 'browser',
  isOodTemplate: true,
  draw: (drawn, random) => ({ page: drawPage(drawn, random) }),
  request: (place, { page }) => ({
    sentence: `go to the page ${place.desktop.site[page]!.name}.`,
    object: place.desktop.site[page]!.name,
    target: 'page',
    goal: place.facts,
    goalPage: page,
    ...pagePlace(place, page),
  }),
})

const sendSum = defineTemplate<{ table: number; column: number; to: string }>({
  name: 'send-sum',
  domain: 'several',
  isOodTemplate: true,
  draw({ desktop }, random) {
    const table = integer(random, 0, desktop.tables.length - 1)
    const column = integer(random, 1, desktop.tables[table]!.headers.length - 1)
    return { table, column, to: pick(random, PEOPLE) }
  },
  request({ desktop, facts }, { table, column, to }) {
    const { name, headers } = desktop.tables[table]!
    const text = String(sumOf(facts.tables[table]!.rows, column))
    return {
      sentence: `write the sum of ${headers[column]!} in ${name} to ${to}.`,
      object: `${name} ${headers[column]!}`,
      target: to,
      goal: { ...facts, sent: [...facts.sent, { kind: 'new', about: -1, to, text }] },
      missing: [{ app: SHEET, at: 1 << table, mayHold: 1 << table }],
    }
  },
})

const saveAttachment = defineTemplate<{ mail: number; folder: number; name: string }>({
  name: 'save-attachment',
  domain: 'several',
  isOodTemplate: true,
  draw({ desktop, facts, freeNames }, random) {
    const mail = pick(
      random,
      [...desktop.mails.keys()].slice(0, -1).filter((index) => desktop.mails[index]!.file !== ''),
    )
    const { file } = desktop.mails[mail]!
    const fresh = pick(random, freeNames)
    const isRenamed = integer(random, 0, 1) === 1
    const name = isRenamed ? fresh.slice(0, fresh.indexOf('.')) + file.slice(file.indexOf('.')) : file
    return { mail, folder: integer(random, 0, facts.folders.length - 2), name }
  },
  request(place, { mail, folder, name }) {
    const { desktop, facts } = place
    const { subject, file } = desktop.mails[mail]!
    const saved: FileFact = { content: ATTACHMENTS + mail, name, folder, isTrashed: false, isMade: true }
    return {
      sentence: `save the file of the mail about ${subject} to ${facts.folders[folder]!}${name === file ? '' : ` as ${name}`}.`,
      object: subject,
      target: facts.folders[folder]!,
      goal: { ...facts, files: [...facts.files, saved] },
      ...mailPlace(place, mail),
    }
  },
})

const bookmarkLink = defineTemplate<{ mail: number; folder: number }>({
  name: 'bookmark-link',
  domain: 'several',
  isOodTemplate: true,
  draw(drawn, random) {
    const mail = drawn.desktop.mails.findIndex(({ link }) => link >= 0)
    return { mail, folder: drawFolder(drawn, random) }
  },
  request(place, { mail, folder }) {
    const { desktop, facts } = place
    const { link, subject } = desktop.mails[mail]!
    if (facts.bookmarks[link]! >= 0) return null
    return {
      sentence: `bookmark the link of the mail about ${subject} in ${desktop.bookmarkFolders[folder]!}.`,
      object: subject,
      target: desktop.bookmarkFolders[folder]!,
      goal: { ...facts, bookmarks: withAt(facts.bookmarks, link, folder) },
      ...mailPlace(place, mail),
    }
  },
  settable: { folder: setBookmarkFolder },
})

export const OOD_TEMPLATES: readonly Template[] = [
  bookmarkPage,
  visitPage,
  setPreference,
  sendSum,
  saveAttachment,
  bookmarkLink,
]
