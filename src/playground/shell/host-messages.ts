/**
 * Tells the page that embeds this one what happens here (docs/hosting.md). Messages go to the window above:
 *
 *     { source: 'rlanything-playground', type: 'ready' }
 *     { source: 'rlanything-playground', type: 'observed', lesson, evidence, runId, iteration }
 *     { source: 'rlanything-playground', type: 'passed', lessons }
 *
 * A lesson is one exercise, passed with its one observation. `observed` reports that moment; `passed` lists all that this browser
 * keeps, also of earlier visits, whenever the list changes.
 *
 * `?embed=https://course.example` sends them to pages of that origin only; `?embed` to any, since they contain nothing private.
 */
import type { LearnedLessons } from '../views/learn/learned.ts'

type HostMessage =
  | { type: 'ready' }
  | { type: 'observed'; lesson: string; evidence: string; runId: string; iteration: number }
  | { type: 'passed'; lessons: readonly string[] }

/** Origin that may receive messages, `*` for any; null if the page is not embedded, or the address names no origin. */
export function hostOf(search: string): string | null {
  const value = new URLSearchParams(search).get('embed')
  if (value === null) return null
  if (value === '') return '*'
  return URL.canParse(value) ? new URL(value).origin : null
}

export class HostMessages {
  readonly #origin: string | null
  readonly #host: Pick<Window, 'postMessage'>
  /** Ids of the lessons that are learned. */
  #passed: readonly string[]

  constructor(origin: string | null, host: Pick<Window, 'postMessage'>, learned: LearnedLessons) {
    this.#origin = origin
    this.#host = host
    this.#passed = Object.keys(learned)
  }

  ready(): void {
    this.#send({ type: 'ready' })
    if (this.#passed.length > 0) this.#send({ type: 'passed', lessons: this.#passed })
  }

  /** Sends what is new among the observations, and the list if it changed: they can also be forgotten. */
  learned(learned: LearnedLessons): void {
    const before = this.#passed
    this.#passed = Object.keys(learned)
    for (const [lesson, { evidence, runId, iteration }] of Object.entries(learned))
      if (!before.includes(lesson)) this.#send({ type: 'observed', lesson, evidence, runId, iteration })
    const isSame = before.length === this.#passed.length && this.#passed.every((lesson) => before.includes(lesson))
    if (!isSame) this.#send({ type: 'passed', lessons: this.#passed })
  }

  #send(message: HostMessage): void {
    if (this.#origin !== null) this.#host.postMessage({ source: 'rlanything-playground', ...message }, this.#origin)
  }
}
