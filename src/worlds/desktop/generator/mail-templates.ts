/** Tasks of Mail. */
import { integer, pick, type Random } from '../../random.ts'
import { draftsBox, MAIL, sentBox, type Desktop, type Facts, type SentMail } from '../engine/facts.ts'
import type { Missing } from '../engine/game.ts'
import { withAt } from '../engine/state.ts'
import { defineTemplate, indexIn, pagesBelow, type Place, type Template } from './template.ts'
import { PEOPLE, REPLIES } from './words.ts'

/** Indices of mails that were received. */
const received = (desktop: Desktop): number[] => [...desktop.mails.keys()].slice(0, -1)
const anyMail = ({ desktop }: Place, random: Random): number => pick(random, received(desktop))

/** The sentence never says which box a mail is in. */
export function mailPlace({ desktop, facts }: Place, mail: number): { missing: Missing[]; place: string } {
  const { box } = facts.mails[mail]!
  return {
    missing: [{ app: MAIL, at: 1 << box, mayHold: pagesBelow(sentBox(desktop)) }],
    place: `the mail about ${desktop.mails[mail]!.subject} is in ${desktop.boxes[box]!}`,
  }
}

const withSent = (facts: Facts, mail: SentMail): Facts => ({ ...facts, sent: [...facts.sent, mail] })

const isPerson = (name: string): boolean => (PEOPLE as readonly string[]).includes(name)
const setText = <P extends { text: string }>(_: Place, parameters: P, text: string): P | null =>
  (REPLIES as readonly string[]).includes(text) ? { ...parameters, text } : null
const setTo = <P extends { to: string }>(_: Place, parameters: P, to: string): P | null =>
  isPerson(to) ? { ...parameters, to } : null

const starMail = defineTemplate<{ from: string }>({
  name: 'star-mail',
  domain: 'mail',
  draw: (drawn, random) => ({ from: drawn.desktop.mails[anyMail(drawn, random)]!.from }),
  request(place, { from }) {
    const { desktop, facts } = place
    const mails = received(desktop).filter((index) => desktop.mails[index]!.from === from)
    const unstarred = mails.filter((index) => !facts.mails[index]!.isStarred)
    if (unstarred.length === 0) return null
    let goal = facts.mails
    for (const index of unstarred) goal = withAt(goal, index, { ...goal[index]!, isStarred: true })
    const places = unstarred.map((index) => mailPlace(place, index))
    return {
      sentence: mails.length > 1 ? `star all mails from ${from}.` : `star the mail from ${from}.`,
      object: from,
      target: 'star',
      goal: { ...facts, mails: goal },
      missing: places.flatMap(({ missing }) => missing),
      place: places.map((found) => found.place).join(' and '),
    }
  },
  settable: { from: (_, __, from) => (isPerson(from) ? { from } : null) },
})

const starNothing = defineTemplate<{ from: string }>({
  name: 'star-mail-impossible',
  domain: 'mail',
  weight: 0.25,
  draw: ({ desktop }, random) => ({
    from: pick(
      random,
      PEOPLE.filter((person) => !desktop.mails.some(({ from }) => from === person)),
    ),
  }),
  request: ({ desktop, facts }, { from }) => ({
    sentence: `star the mail from ${from}.`,
    object: from,
    target: 'star',
    goal: facts,
    evidence: [{ app: MAIL, pages: pagesBelow(sentBox(desktop)), needsButtons: false }],
  }),
})

const moveMail = defineTemplate<{ mail: number; box: number }>({
  name: 'move-mail',
  domain: 'mail',
  draw: (drawn, random) => ({
    mail: anyMail(drawn, random),
    box: integer(random, 0, sentBox(drawn.desktop) - 1),
  }),
  request(place, { mail, box }) {
    const { desktop, facts } = place
    const now = facts.mails[mail]!
    if (now.box === box) return null
    const { subject } = desktop.mails[mail]!
    return {
      sentence: `move the mail about ${subject} to ${desktop.boxes[box]!}.`,
      object: subject,
      target: desktop.boxes[box]!,
      goal: { ...facts, mails: withAt(facts.mails, mail, { ...now, box }) },
      ...mailPlace(place, mail),
    }
  },
  settable: {
    box({ desktop }, parameters, value) {
      const box = indexIn(desktop.boxes.slice(0, sentBox(desktop)), value)
      return box === null ? null : { ...parameters, box }
    },
  },
})

const replyMail = defineTemplate<{ mail: number; text: string }>({
  name: 'reply-mail',
  domain: 'mail',
  draw: (drawn, random) => ({ mail: anyMail(drawn, random), text: pick(random, REPLIES) }),
  request(place, { mail: about, text }) {
    const { subject, from } = place.desktop.mails[about]!
    return {
      sentence: `answer ${text} to the mail about ${subject}.`,
      object: subject,
      target: text,
      goal: withSent(place.facts, { kind: 'reply', about, to: from, text }),
      ...mailPlace(place, about),
    }
  },
  settable: { text: setText },
})

const forwardMail = defineTemplate<{ mail: number; to: string }>({
  name: 'forward-mail',
  domain: 'mail',
  draw: (drawn, random) => ({ mail: anyMail(drawn, random), to: pick(random, PEOPLE) }),
  request(place, { mail: about, to }) {
    const { subject, from } = place.desktop.mails[about]!
    if (from === to) return null
    return {
      sentence: `forward the mail about ${subject} to ${to}.`,
      object: subject,
      target: to,
      goal: withSent(place.facts, { kind: 'forward', about, to, text: '' }),
      ...mailPlace(place, about),
    }
  },
  settable: { person: setTo },
})

const attachFile = defineTemplate<{ file: number }>({
  name: 'attach-file',
  domain: 'mail',
  weight: 0.7,
  draw: ({ desktop }, random) => ({ file: integer(random, 0, desktop.recentFiles.length - 1) }),
  request({ desktop, facts }, { file: attached }) {
    const draft = desktop.mails.length - 1
    const { subject } = desktop.mails[draft]!
    const file = desktop.recentFiles[attached]!
    return {
      sentence: `attach ${file} to the draft about ${subject}, do not send it.`,
      object: file.slice(0, file.indexOf('.')),
      target: subject,
      goal: { ...facts, mails: withAt(facts.mails, draft, { ...facts.mails[draft]!, attached }) },
      missing: [{ app: MAIL, at: 1 << draftsBox(desktop), mayHold: 1 << draftsBox(desktop) }],
    }
  },
  settable: {
    file({ desktop }, _, value) {
      const file = indexIn(desktop.recentFiles, value)
      return file === null ? null : { file }
    },
  },
})

const writeMail = defineTemplate<{ to: string; text: string }>({
  name: 'write-mail',
  domain: 'mail',
  weight: 0.6,
  draw: (_, random) => ({ to: pick(random, PEOPLE), text: pick(random, REPLIES) }),
  request: ({ facts }, { to, text }) => ({
    sentence: `write ${text} to ${to}.`,
    object: to,
    target: text,
    goal: withSent(facts, { kind: 'new', about: -1, to, text }),
  }),
  settable: { text: setText, person: setTo },
})

export const MAIL_TEMPLATES: readonly Template[] = [
  starMail,
  moveMail,
  replyMail,
  forwardMail,
  attachFile,
  writeMail,
  starNothing,
]
