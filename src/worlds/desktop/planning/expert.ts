/**
 * An expert that knows no more than an agent: what the task says and what was on the screen. It looks for what is missing page by
 * page; when nothing is missing any more it plays a command that brings the goal closer.
 */
import { APPS, BROWSER, EDITOR, SHEET } from '../engine/facts.ts'
import { elementsOf, pageNames, type Element } from '../engine/elements.ts'
import { cloneState, startGame, type DesktopState, type StartOptions } from '../engine/state.ts'
import { step } from '../engine/step.ts'
import type { DesktopGame, Missing } from '../engine/game.ts'
import { pick, shuffled, type Random } from '../../random.ts'
import { distanceToGoal } from './distance.ts'
import { wantedDialogs } from './dialogs.ts'
import { stillMissing } from './step-label.ts'

/** The next command; `done` if there is none left that helps. `distance` is that of the state. */
export function decide(state: DesktopState, random: Random, distance = distanceToGoal(state)): string {
  const missing = stillMissing(state)
  for (const thing of missing) {
    const command = search(state, thing, random)
    if (command !== null) return command
  }
  return nextCommand(state, distance) ?? 'done'
}

/** Shows another page that may hold the missing thing; null if there is none. */
function search(state: DesktopState, { app, mayHold }: Missing, random: Random): string | null {
  if (state.dialog) return 'click Cancel'
  if (state.front !== app) return `click ${APPS[app]!}`
  if (app === BROWSER) return browse(state, mayHold, random)
  const open = pageNames(state, app).filter((name, page) => name !== '' && isUnseen(state, app, page, mayHold))
  return open.length === 0 ? null : `click ${pick(random, open)}`
}

const isUnseen = ({ seen }: DesktopState, app: number, page: number, mayHold: number): boolean =>
  ((mayHold & ~seen[app]!) >> page) % 2 === 1

/** The first link on a shortest way to an unseen page, by the links of pages that were seen. */
function browse(state: DesktopState, mayHold: number, random: Random): string | null {
  const { site } = state.game.desktop
  const here = state.pages[BROWSER]!
  if (here >= site.length) return `click ${site[0]!.name}`
  const known = new Set([here])
  let ways = shuffled(random, site[here]!.links).map((first) => ({ first, page: first }))
  while (ways.length > 0) {
    const found = ways.find(({ page }) => isUnseen(state, BROWSER, page, mayHold))
    if (found) return `click ${site[found.first]!.name}`
    ways = ways.flatMap(({ first, page }) => {
      if (known.has(page)) return []
      known.add(page)
      return site[page]!.links.map((next) => ({ first, page: next }))
    })
  }
  return null
}

/** A command that brings the goal one command closer under full knowledge; null if there is none. */
export function nextCommand(state: DesktopState, distance = distanceToGoal(state)): string | null {
  if (distance === Infinity) return null
  for (const command of usefulCommands(state)) {
    const after = cloneState(state)
    if (step(after, command).accepted && distanceToGoal(after) < distance) return command
  }
  return null
}

/** Every command of a shortest plan is among these: all clicks on the screen, and typing what the goal wants. */
export function* usefulCommands(state: DesktopState): Generator<string> {
  yield state.game.evidence ? 'fail' : 'done'
  const elements = elementsOf(state)
  for (const text of wantedTexts(state)) yield `type ${text}`
  // What was selected is most often used next, then things are selected, then pages and applications shown.
  for (const region of ['dialog', 'buttons', 'items', 'pages', 'dock'] as const) {
    for (const element of elements) if (element.region === region && isUseful(element)) yield `click ${element.name}`
  }
}

const isUseful = ({ effect }: Element) => effect.kind !== 'none'

/** What may be typed to some use. */
export function wantedTexts(state: DesktopState): string[] {
  const { dialog, game, items, pages, front } = state
  const { goal } = game
  if (dialog) {
    const texts = wantedDialogs(state, dialog).map(({ fields }) => fields[dialog.focus])
    return [...new Set(texts.filter((text): text is string => text !== undefined))]
  }
  if (front === EDITOR) {
    const line = goal.documents[pages[EDITOR]!]![items[EDITOR]!]
    return line ? [line.text] : []
  }
  if (front !== SHEET || items[SHEET]! < 0) return []
  const { rows } = goal.tables[pages[SHEET]!]!
  const column = items[SHEET]! % 8
  return [...new Set(rows.map((row) => row[column]!))].filter((text) => text !== undefined)
}

export interface ExpertPlay {
  commands: string[]
  won: boolean
}

/** Plays a task from its start. */
export function playExpert(game: DesktopGame, random: Random, options?: StartOptions): ExpertPlay {
  const state = startGame(game, options)
  const commands: string[] = []
  while (!state.done) {
    const command = decide(state, random)
    commands.push(command)
    step(state, command)
  }
  return { commands, won: state.won }
}
