/**
 * The exact number of commands to the end of a task, `done` or `fail` included, under full knowledge.
 *
 *     D = Σ local(a) + applications with work that are not in front + 1
 *
 * An act changes the facts of one application only, and every application is one click away, so the work of each is counted by itself
 * (files-plan, document-plans, mail-plan, control-plans). Two things couple applications, and the least of the ways around them is
 * taken: the file of a mail has to be downloaded before Files can have it, and the link of a mail opens the browser at its page.
 *
 * A dialog in front is cancelled (1 act) or filled in with what the goal wants, whichever is shorter.
 */
import { ATTACHMENTS, BROWSER, DOWNLOADS, draftsBox, EDITOR, FILES, MAIL, SETTINGS, SHEET } from '../engine/facts.ts'
import type { DesktopGame, Evidence } from '../engine/game.ts'
import { toolRow } from '../engine/layout.ts'
import { BUTTONS_SEEN, cloneState, isMenuOpen, type DesktopState, type Dialog } from '../engine/state.ts'
import { confirmDialog } from '../engine/step.ts'
import { browserDistance, browserDistanceByLink, settingsDistance } from './control-plans.ts'
import { wantedDialogs } from './dialogs.ts'
import { editorDistance, sheetDistance } from './document-plans.ts'
import { filesDistance } from './files-plan.ts'
import { mailDistance, type MailErrand } from './mail-plan.ts'

/** 0 only if the task is won; Infinity if it cannot be won any more. The limit of steps is not considered. */
export function distanceToGoal(state: DesktopState): number {
  if (state.won) return 0
  if (state.hasStopped) return Infinity
  const { dialog } = state
  if (!dialog) return workLeft(state) + 1
  const closed = cloneState(state)
  closed.dialog = null
  const work = workLeft(closed)
  // `done` and `fail` need no closing.
  if (work === 0) return 1
  let best = work + 1
  for (const wanted of wantedDialogs(state, dialog)) {
    const acts = actsToFill(dialog, wanted)
    if (acts >= best) continue
    const after = cloneState(state)
    after.dialog = wanted
    if (confirmDialog(after) !== null) best = Math.min(best, acts + workLeft(after))
  }
  return best + 1
}

/** Typing and choosing until the dialog is as wanted, and its confirmation; a choice of a setting confirms by itself. */
function actsToFill(now: Dialog, wanted: Dialog): number {
  if (now.kind === 'choose') return 1
  const wrong = wanted.fields.flatMap((text, field) => (text === now.fields[field] ? [] : [field]))
  const isFocused = wrong.length === 0 || wrong[0] === now.focus
  const typing = wrong.length + (isFocused ? 0 : 1)
  return typing + (now.choice === wanted.choice ? 0 : 1) + 1
}

/** Commands before `done` or `fail`, with no dialog in front. */
function workLeft(state: DesktopState): number {
  const { front } = state
  const missing = missingAttachment(state)
  const work: number[] = []
  let needsFront = 0
  for (let app = FILES; app <= BROWSER; app++) {
    // If a file has to be downloaded first, Mail and then Files are counted below.
    if (missing >= 0 && (app === FILES || app === MAIL)) {
      work.push(0)
      continue
    }
    const unseen = unseenPages(state, app)
    const needsMenu = needsButtons(state, app)
    const local = localDistance(state, app, unseen, needsMenu === true)
    work.push(local)
    if (local > 0 || unseen !== 0 || needsMenu !== null) needsFront |= 1 << app
  }
  const sum = (apps: readonly number[]) =>
    apps.reduce((acts, app) => acts + work[app]! + (app !== front && (needsFront >> app) & 1 ? 1 : 0), 0)
  const download: MailErrand[] = missing < 0 ? [] : [{ mail: missing, kind: 'save-file' }]
  let total = sum(EVERY)
  let afterMail = 0
  if (missing >= 0) {
    afterMail = filesLocal(state, 0, missing)
    if (afterMail > 0) afterMail++
    total += mailDistance(state, 0, false, download) + (front === MAIL ? 0 : 1) + afterMail
  }
  if (work[BROWSER]! > 0) total = Math.min(total, sum(WITHOUT_LINK) + afterMail + byLink(state, download))
  return total
}

const EVERY = [FILES, EDITOR, SHEET, MAIL, SETTINGS, BROWSER]
const WITHOUT_LINK = [FILES, EDITOR, SHEET, SETTINGS]

function localDistance(state: DesktopState, app: number, unseen: number, needsMenu: boolean): number {
  switch (app) {
    case FILES:
      return filesLocal(state, unseen, -1)
    case EDITOR:
      return editorDistance(state, needsMenu)
    case SHEET:
      return sheetDistance(state, needsMenu)
    case MAIL:
      return mailDistance(state, unseen, needsMenu)
    case SETTINGS:
      return settingsDistance(state, unseen)
    default:
      return browserDistance(state)
  }
}

function filesLocal(state: DesktopState, unseen: number, attachment: number): number {
  const { game, facts, pages, items } = state
  let { files } = facts
  if (attachment >= 0) {
    const folder = facts.folders.indexOf(DOWNLOADS)
    const name = game.desktop.mails[attachment]!.file
    files = [...files, { content: ATTACHMENTS + attachment, name, folder, isTrashed: false, isMade: true }]
  }
  return filesDistance(game, {
    files,
    folders: facts.folders,
    page: pages[FILES]!,
    item: items[FILES]!,
    isMenuOpen: isMenuOpen(state, FILES),
    unseen,
  })
}

/** What has to be on the screen before giving up. */
const evidenceOf = ({ game }: DesktopState): readonly Evidence[] => game.evidence ?? []

/** Pages that have to be looked at before giving up, as bits. */
function unseenPages(state: DesktopState, app: number): number {
  let pages = 0
  for (const evidence of evidenceOf(state)) if (evidence.app === app) pages |= evidence.pages & ~state.seen[app]!
  return pages
}

/** Whether the buttons of the application have to be looked at, and the More menu has to be opened for it; null if not. */
function needsButtons(state: DesktopState, app: number): boolean | null {
  if (state.seen[app]! & BUTTONS_SEEN) return null
  if (!evidenceOf(state).some((evidence) => evidence.app === app && evidence.needsButtons)) return null
  return hasMenu(state.game, app) && !isMenuOpen(state, app)
}

const hasMenu = (game: DesktopGame, app: number): boolean => toolRow(game.layout, app).hidden.length > 0

/** The mail whose file is wanted in Files and is not there; -1 for none. */
function missingAttachment({ game, facts }: DesktopState): number {
  for (const { content, isMade } of game.goal.files) {
    if (isMade && content >= ATTACHMENTS && !facts.files.some((file) => file.content === content)) {
      return content - ATTACHMENTS
    }
  }
  return -1
}

/** The work of Mail and the browser by way of a mail's link, which saves the dock click and the way through the site. */
function byLink(state: DesktopState, download: readonly MailErrand[]): number {
  const { game, facts } = state
  let best = Infinity
  game.desktop.mails.forEach(({ link }, mail) => {
    if (link < 0 || facts.mails[mail]!.box === draftsBox(game.desktop)) return
    const inMail = mailDistance(state, 0, false, [...download, { mail, kind: 'link' }])
    best = Math.min(best, inMail + browserDistanceByLink(state, link))
  })
  return best
}
