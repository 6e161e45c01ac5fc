/**
 * Fewest acts inside Mail. Mails are independent: one that is not as wanted is selected on the page of its box, starred, answered and
 * at last moved. What was sent cannot be taken back.
 */
import { MAIL, type SentMail } from '../engine/facts.ts'
import type { Button } from '../engine/layout.ts'
import { isMenuOpen, type DesktopState } from '../engine/state.ts'

/** What else has to be done to a mail for another application. */
export interface MailErrand {
  mail: number
  /** Downloading its file; following its link, which leaves Mail, so it is the last act there. */
  kind: 'save-file' | 'link'
}

const DIALOG_ACTS = 3
const WRITE_ACTS = 4

const isSame = (a: SentMail, b: SentMail) =>
  a.kind === b.kind && a.about === b.about && a.to === b.to && a.text === b.text

/** The mails of `list` that are not in `others`, counted with multiplicity. */
function without(list: readonly SentMail[], others: readonly SentMail[]): SentMail[] {
  const rest = [...others]
  return list.filter((mail) => {
    const at = rest.findIndex((other) => isSame(mail, other))
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

/** Mails that are still to be sent; null if one was sent that was not wanted. */
export function unsent({ facts, game }: DesktopState): SentMail[] | null {
  if (facts.sent === game.goal.sent) return []
  return without(facts.sent, game.goal.sent).length > 0 ? null : without(game.goal.sent, facts.sent)
}

/** Infinity if the goal cannot be reached any more. `unseen` are pages still to be looked at, as bits. */
export function mailDistance(
  state: DesktopState,
  unseen: number,
  needsMenu: boolean,
  errands: readonly MailErrand[] = [],
): number {
  const { facts, game } = state
  const { goal } = game
  if (facts.mails === goal.mails && facts.sent === goal.sent && unseen === 0 && !needsMenu && errands.length === 0)
    return 0
  const toSend = unsent(state)
  if (toSend === null) return Infinity
  const here = state.pages[MAIL]!
  const selected = state.items[MAIL]!
  const used: Button[] = []
  let acts = 0
  let pages = unseen
  let others = 0
  const link = errands.find(({ kind }) => kind === 'link')
  const use = (button: Button, count: number) => {
    used.push(button)
    acts += count
  }
  for (let mail = 0; mail < goal.mails.length; mail++) {
    const now = facts.mails[mail]!
    const wanted = goal.mails[mail]!
    const before = acts
    if (now !== wanted) {
      if (now.isStarred !== wanted.isStarred) use('star', 1)
      if (now.attached !== wanted.attached) use('attach', DIALOG_ACTS)
      if (now.box !== wanted.box) use('move', DIALOG_ACTS)
    }
    for (const { kind, about } of toSend) if (about === mail && kind !== 'new') use(kind, DIALOG_ACTS)
    for (const errand of errands) if (errand.mail === mail) acts++
    if (acts > before && link?.mail !== mail) others++
    if (acts === before) continue
    pages |= 1 << now.box
    if (selected !== mail) acts++
  }
  for (const { kind } of toSend) if (kind === 'new') use('write', WRITE_ACTS)
  for (let left = pages & ~(1 << here); left !== 0; left >>= 1) acts += left & 1
  if (!isMenuOpen(state, MAIL) && (needsMenu || used.some((button) => game.layout.nested.includes(button)))) acts++
  return acts + (link ? comingBack(state, link.mail, pages, others) : 0)
}

/**
 * Acts lost because the link is followed last: work on other pages leaves the page of the mail, work on other mails leaves the mail.
 * At most one click on each, and no more than the dock click of coming back to Mail for what is left.
 */
function comingBack(state: DesktopState, mail: number, pages: number, others: number): number {
  const { box } = state.facts.mails[mail]!
  const isPageHere = state.pages[MAIL] === box
  const isSelected = isPageHere && state.items[MAIL] === mail
  const leavesPage = isPageHere && (pages & ~(1 << box)) !== 0
  const leavesMail = isSelected && others > 0
  const isMovedAway = box !== state.game.goal.mails[mail]!.box
  return leavesPage || leavesMail || isMovedAway ? 1 : 0
}
