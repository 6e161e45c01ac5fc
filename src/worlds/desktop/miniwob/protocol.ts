/** What passes between us and a page in its frame, as plain data. */

/** A point of the page, or the number of an element in the last list. */
export type Place = { mark: number } | { x: number; y: number }

export type PageCommand =
  | { kind: 'click' | 'hover' | 'select'; at: Place }
  | { kind: 'drag'; at: Place; to: Place }
  | { kind: 'scroll'; at: Place; isDown: boolean }
  | { kind: 'type'; words: string }
  | { kind: 'key'; key: string; isControl: boolean }
  | { kind: 'wait' }

export interface PageElement {
  mark: number
  /** In lower case, an input with its type; "t" is text between elements. */
  tag: string
  text: string
  /** What it contains or whether it is chosen; '' for nothing. */
  value: string
  /** Its id and classes, where no text says what it is. */
  name: string
  /** CSS; '' where a text says what it is. */
  colour: string
  /** Left, top, width and height in pixels of the page. */
  box: [number, number, number, number]
  isFocused: boolean
}

export interface PageView {
  utterance: string
  /** Empty once the episode is over. */
  elements: PageElement[]
  isDone: boolean
  /** The page's own, before it is made smaller by time; 0 while it is not over. */
  rawReward: number
  /** Whether the last command could be carried out. */
  isAccepted: boolean
  /** The page's first uncaught error; null without one. */
  error: string | null
}

export type PageRequest =
  /** `limitMs` replaces the time that the page gives itself; null leaves it. */
  | { ask: 'start'; seed: number; limitMs: number | null; isReal: boolean }
  | { ask: 'act'; command: PageCommand }
  /** Lets time pass. */
  | { ask: 'advance'; ms: number }
  | { ask: 'view' }

export type PageMessage =
  /** From the document around the page: the page has left for another address. */
  | { about: 'miniwob'; left: true }
  /** The page is loaded. */
  | { about: 'miniwob'; id: null }
  | { about: 'miniwob'; id: number; view: PageView; problem: null }
  | { about: 'miniwob'; id: number; view: null; problem: string }

/** A page in a frame. */
export interface OpenedPage {
  /** Throws a PageError when the page does not answer; it is then closed. */
  ask(request: PageRequest): Promise<PageView>
  close(): void
}

/** Opens a document made by pageDocument. Throws a PageError. */
export type OpenPage = (document: string) => Promise<OpenedPage>

/** A page cannot start or does not answer. */
export class PageError extends Error {
  override readonly name: string = 'PageError'
}

/** The page took longer than it may. A machine that is busy or sleeps makes good pages do so too. */
export class SilenceError extends PageError {
  override readonly name = 'SilenceError'
}

/** The page was ended because another one in its process hangs. */
export class NeighbourError extends PageError {
  override readonly name = 'NeighbourError'
}

/** Milliseconds that pass on the page's clock with every command. */
export const STEP_MS = 500
/** Milliseconds on its clock after which an episode ends; what ends it before is the limit of steps. */
export const EPISODE_MS = 1_000_000
/** Only a raw reward of 1 wins: some pages give a little for a wrong answer. */
export const WINNING_REWARD = 1
