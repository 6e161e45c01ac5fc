/** All templates, and the game that a wish makes of a desktop. */
import type { DesktopGame, Wish } from '../engine/game.ts'
import { DOCUMENT_TEMPLATES } from './document-templates.ts'
import { FILE_TEMPLATES } from './file-templates.ts'
import { MAIL_TEMPLATES } from './mail-templates.ts'
import { OOD_TEMPLATES } from './ood-templates.ts'
import { SETTING_TEMPLATES } from './setting-templates.ts'
import type { Domain, Template } from './template.ts'

export const TEMPLATES: readonly Template[] = [
  ...FILE_TEMPLATES,
  ...DOCUMENT_TEMPLATES,
  ...MAIL_TEMPLATES,
  ...SETTING_TEMPLATES,
  ...OOD_TEMPLATES,
]

const byName = new Map(TEMPLATES.map((template) => [template.name, template]))

/** Throws RangeError if there is no such template. */
export function templateNamed(name: string): Template {
  const template = byName.get(name)
  if (!template) throw new RangeError(`There is no template "${name}".`)
  return template
}

/** The application that a template is about, or several. */
export const domainOf = (template: string): Domain => templateNamed(template).domain

/** What a game is made of before anything is asked; a game itself has all of it. */
export type GameBase = Pick<
  DesktopGame,
  'id' | 'desktop' | 'layout' | 'front' | 'pages' | 'start' | 'origin' | 'isHinted'
> & { wish: Wish }

/** Null if the wish has no meaning on this desktop, or is already fulfilled. */
export function composeGame(base: GameBase): DesktopGame | null {
  const { desktop, start, wish, isHinted, id, layout, front, pages, origin } = base
  const request = templateNamed(wish.template).request({ desktop, facts: start }, wish)
  if (!request) return null
  const place = isHinted ? (request.place ?? '') : ''
  return {
    id,
    wish,
    isHinted: place !== '',
    desktop,
    layout,
    front,
    pages,
    start,
    goal: request.goal,
    goalPage: request.goalPage ?? -1,
    freeContents: request.freeContents ?? [],
    evidence: request.evidence ?? null,
    missing: place === '' ? (request.missing ?? []) : [],
    instruction: place === '' ? request.sentence : `${request.sentence} Hint: ${place}.`,
    pair: [request.object, request.target],
    origin,
  }
}
