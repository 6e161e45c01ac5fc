/**
 * Whether a task page runs here. It is opened twice with one seed and has to start, to say what to do, to show the same both times
 * after the same clicks, and to end when its own time is over. A page that is silent gets a second try, because a busy machine
 * looks the same.
 */
import { openingText, viewText } from './page-text.ts'
import { PageError, SilenceError, type OpenPage, type PageView } from './protocol.ts'

/** On the page's clock; the longest limit in the set is 30 s. */
const LONGEST_LIMIT_MS = 120_000
const SEED = 7
const CLICKS = 2

export interface PageCheck {
  /** Why it does not run; null if it does. */
  problem: string | null
  /** Whether part of it is a picture, which its text does not describe. */
  hasPictures: boolean
  /** Whether another check may find something else, because this one ended by real time. */
  isPassing?: true
}

export async function checkPage(open: OpenPage, document: string): Promise<PageCheck> {
  const found = await checkOnce(open, document)
  return found.isPassing ? checkOnce(open, document) : found
}

async function checkOnce(open: OpenPage, document: string): Promise<PageCheck> {
  try {
    const first = await trial(open, document)
    if (first.problem !== null) return first
    const second = await trial(open, document)
    return { problem: differenceOf(first.seen, second.seen), hasPictures: first.hasPictures }
  } catch (cause) {
    if (cause instanceof SilenceError) return { problem: cause.message, hasPictures: false, isPassing: true }
    if (cause instanceof PageError) return { problem: cause.message, hasPictures: false }
    throw cause
  }
}

interface Trial extends PageCheck {
  seen: string
}

async function trial(open: OpenPage, document: string): Promise<Trial> {
  const page = await open(document)
  try {
    let view = await page.ask({ ask: 'start', seed: SEED, limitMs: null, isReal: false })
    const seen = [openingText(view)]
    const hasPictures = view.elements.some(({ tag }) => tag === 'canvas' || tag === 'img')
    const ended = (problem: string | null): Trial => ({ problem, hasPictures, seen: seen.join('\n') })
    const problem = problemOf(view)
    if (problem !== null) return ended(problem)
    for (let click = 1; click <= CLICKS && view.elements.length > 0; click++) {
      const { mark } = view.elements[Math.floor((click * view.elements.length) / (CLICKS + 2))]!
      view = await page.ask({ ask: 'act', command: { kind: 'click', at: { mark } } })
      seen.push(`${viewText(view, '')} ${view.rawReward}`)
    }
    if (!view.isDone) view = await page.ask({ ask: 'advance', ms: LONGEST_LIMIT_MS })
    seen.push(String(view.rawReward))
    return ended(view.isDone ? null : 'Its episode does not end when its time is over.')
  } finally {
    page.close()
  }
}

function differenceOf(first: string, second: string): string | null {
  if (first === second) return null
  const [before, after] = [first, second].map((text) => text.split('\n')) as [string[], string[]]
  let at = 0
  while (before[at] === after[at]) at++
  const [was, is] = [before, after].map((lines) => lines[at] ?? 'nothing')
  return `It shows something else when it is started again with the same seed: “${was}”, then “${is}”.`
}

function problemOf({ utterance, elements, isDone, error }: PageView): string | null {
  if (error !== null) return `A script of the page fails: ${error}.`
  if (utterance === '') return 'It does not say what to do.'
  if (isDone) return 'It is over as soon as it starts.'
  return elements.length === 0 ? 'It shows nothing that we can read.' : null
}
