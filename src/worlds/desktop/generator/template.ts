/**
 * A kind of task. It draws parameters on a desktop, and says what these mean there: the sentence, the facts that are wanted, and what
 * an agent has to find. Rewrites change a parameter or the desktop and ask again, so a sentence always says what is verified.
 */
import type { Random } from '../../random.ts'
import type { Desktop, Facts } from '../engine/facts.ts'
import type { Evidence, Missing, Wish } from '../engine/game.ts'
import type { DrawnDesktop } from './draw-desktop.ts'

export type Domain = 'files' | 'editor' | 'sheet' | 'mail' | 'settings' | 'browser' | 'several'

export interface Request {
  /** With a full stop. */
  sentence: string
  /** What the split's pairs are made of: which thing is changed, and to what. */
  object: string
  target: string
  /** The facts at the end; those at the start if the task is infeasible. */
  goal: Facts
  goalPage?: number
  freeContents?: readonly number[]
  evidence?: readonly Evidence[]
  missing?: readonly Missing[]
  /** What a hint says about the place of the missing thing; '' if there is nothing to say. */
  place?: string
}

/** The parts of a desktop that a request depends on. */
export interface Place {
  desktop: Desktop
  facts: Facts
}

interface TemplateParts<Parameters> {
  name: string
  domain: Domain
  isOodTemplate?: boolean
  /** Relative frequency in its split; 1 by default. */
  weight?: number
  /** Null if this desktop has nothing for it. */
  draw(drawn: DrawnDesktop, random: Random): Parameters | null
  /** Null if the parameters have no meaning here, or ask for what is already so. */
  request(place: Place, parameters: Parameters): Request | null
  /** Parameters that a rewrite may set, by name; null for a value without meaning. */
  settable?: Readonly<Record<string, (place: Place, parameters: Parameters, value: string) => Parameters | null>>
  /** What is otherwise on a desktop that the task is impossible on. */
  spoil?(desktop: Desktop, parameters: Parameters): Desktop
}

export interface Template {
  name: string
  domain: Domain
  isOodTemplate: boolean
  weight: number
  settable: readonly string[]
  draw(drawn: DrawnDesktop, random: Random): Wish | null
  request(place: Place, wish: Wish): Request | null
  set(place: Place, wish: Wish, name: string, value: string): Wish | null
  spoil(desktop: Desktop, wish: Wish): Desktop
}

/** A wish is plain data, so here alone its parameters get their type back. */
export function defineTemplate<Parameters extends Wish['parameters']>(parts: TemplateParts<Parameters>): Template {
  const { name, domain, isOodTemplate = false, weight = 1, settable = {} } = parts
  const wishOf = (parameters: Parameters | null): Wish | null => parameters && { template: name, parameters }
  const parametersOf = (wish: Wish) => wish.parameters as Parameters
  return {
    name,
    domain,
    isOodTemplate,
    weight,
    settable: Object.keys(settable),
    draw: (drawn, random) => wishOf(parts.draw(drawn, random)),
    request: (place, wish) => parts.request(place, parametersOf(wish)),
    set: (place, wish, parameter, value) => wishOf(settable[parameter]?.(place, parametersOf(wish), value) ?? null),
    spoil: (desktop, wish) => parts.spoil?.(desktop, parametersOf(wish)) ?? desktop,
  }
}

/** Bits 0 to `count` − 1. */
export const pagesBelow = (count: number): number => (1 << count) - 1

/** The index of a name in a list; null if it is not there. */
export function indexIn(list: readonly (string | null)[], name: string): number | null {
  const index = list.indexOf(name)
  return index < 0 ? null : index
}
