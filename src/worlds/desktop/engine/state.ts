/** The changing facts of a running task. Its parts are replaced, never mutated, so a shallow copy is a snapshot. */
import { APPS, type Facts, type Line, type Table } from './facts.ts'
import type { DesktopGame } from './game.ts'
import { toolRow } from './layout.ts'

export type DialogKind =
  | 'rename'
  | 'move'
  | 'copy'
  | 'new'
  | 'replace'
  | 'move-mail'
  | 'attach'
  | 'reply'
  | 'forward'
  | 'write'
  | 'choose'
  | 'bookmark'

/** A dialog is in front of its application and takes all clicks. */
export interface Dialog {
  kind: DialogKind
  /** Contents of the text fields. */
  fields: readonly string[]
  /** The field that typing goes to. */
  focus: number
  /** Index of the chosen entry of the list, or -1. */
  choice: number
  /** The control that `choose` sets. */
  control: number
}

/** Bit of `seen` that is set once all buttons of an application were on the screen. */
export const BUTTONS_SEEN = 1 << 20

export interface DesktopState {
  readonly game: DesktopGame
  readonly stepLimit: number
  facts: Facts
  /** Documents and tables as they are on the screen, saved or not. */
  documents: readonly (readonly Line[])[]
  tables: readonly Table[]
  /** The application in front, or -1. */
  front: number
  /** By application: the page in view. */
  pages: readonly number[]
  /** By application: the selected thing, or -1. */
  items: readonly number[]
  /** Bit a: the More menu of application a is open. */
  menus: number
  dialog: Dialog | null
  /** By application: pages that were on the screen, and BUTTONS_SEEN. */
  seen: readonly number[]
  steps: number
  won: boolean
  /** Whether the agent said `done` or `fail`. */
  hasStopped: boolean
  /** Stopped, or out of steps: further commands have no effect. */
  done: boolean
}

export interface StartOptions {
  stepLimit?: number
}

export const defaultStepLimit = 20
const NOTHING: readonly number[] = APPS.map(() => -1)
const NONE_SEEN: readonly number[] = APPS.map(() => 0)

export function startGame(game: DesktopGame, options: StartOptions = {}): DesktopState {
  const state: DesktopState = {
    game,
    stepLimit: options.stepLimit ?? defaultStepLimit,
    facts: game.start,
    documents: game.start.documents,
    tables: game.start.tables,
    front: game.front,
    pages: game.pages,
    items: NOTHING,
    menus: 0,
    dialog: null,
    seen: NONE_SEEN,
    steps: 0,
    won: false,
    hasStopped: false,
    done: false,
  }
  markSeen(state)
  return state
}

export const cloneState = (state: DesktopState): DesktopState => ({ ...state })

/** The list with one element replaced. */
export function withAt<T>(list: readonly T[], index: number, value: T): T[] {
  const copy = list.slice()
  copy[index] = value
  return copy
}

/** Records what is on the screen. */
export function markSeen(state: DesktopState): void {
  const { front } = state
  if (front < 0) return
  const seen = seenOf(state, front)
  if (seen !== state.seen[front]) state.seen = withAt(state.seen, front, seen)
}

function seenOf(state: DesktopState, app: number): number {
  const areButtonsShown = toolRow(state.game.layout, app).hidden.length === 0 || (state.menus >> app) & 1
  return state.seen[app]! | (1 << state.pages[app]!) | (areButtonsShown ? BUTTONS_SEEN : 0)
}

export const isMenuOpen = (state: DesktopState, app: number): boolean => ((state.menus >> app) & 1) === 1

export function showPage(state: DesktopState, app: number, page: number): void {
  state.pages = withAt(state.pages, app, page)
  state.items = withAt(state.items, app, -1)
}

export function select(state: DesktopState, item: number): void {
  state.items = withAt(state.items, state.front, item)
}
