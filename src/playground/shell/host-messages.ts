/**
 * Tells the page that embeds this one what happens here (docs/hosting.md). Messages go to the window above:
 *
 *     { source: 'rlanything-playground', type: 'ready' }
 *     { source: 'rlanything-playground', type: 'observed', lesson, evidence, runId, iteration }
 *
 * A lesson is one exercise with one observation, so there is no other message for an exercise that is passed.
 *
 * `?embed=https://course.example` sends them to pages of that origin only; `?embed` to any, since they contain nothing private.
 */
import type { LearnedLessons } from '../views/learn/learned.ts'

export type HostMessage =
  { type: 'ready' } | { type: 'observed'; lesson: string; evidence: string; runId: string; iteration: number }

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
  /** Observations of earlier visits, and those that were sent. */
  readonly #known: Set<string>

  constructor(origin: string | null, host: Pick<Window, 'postMessage'>, learned: LearnedLessons) {
    this.#origin = origin
    this.#host = host
    this.#known = new Set(Object.keys(learned))
  }

  ready(): void {
    this.#send({ type: 'ready' })
  }

  /** Sends what is new among the observations. */
  learned(learned: LearnedLessons): void {
    for (const [lesson, { evidence, runId, iteration }] of Object.entries(learned)) {
      if (this.#known.has(lesson)) continue
      this.#known.add(lesson)
      this.#send({ type: 'observed', lesson, evidence, runId, iteration })
    }
  }

  #send(message: HostMessage): void {
    if (this.#origin !== null) this.#host.postMessage({ source: 'rlanything-playground', ...message }, this.#origin)
  }
}
