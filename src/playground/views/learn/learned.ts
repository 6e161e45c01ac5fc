/** What has been observed in which lesson, kept on this machine: what a person learned lasts beyond the visit. */
import * as v from 'valibot'
import { readLocal, writeLocal } from '../../kit/local-text.ts'

const learnedSchema = v.object({
  /** In words, with its numbers. */
  evidence: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
  /** Milliseconds since 1970. */
  when: v.pipe(v.number(), v.finite(), v.minValue(0)),
  runId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  /** Of the run, the newest when it was observed. */
  iteration: v.pipe(v.number(), v.integer(), v.minValue(0)),
})
export type Learned = v.InferOutput<typeof learnedSchema>
/** By id of the lesson. */
export type LearnedLessons = Readonly<Record<string, Learned>>

const KEY = 'playground.lessons'

/** What of a stored text is whole: a damaged entry is as if it had not been observed. */
export function parseLearned(text: string | null): LearnedLessons {
  let stored: unknown
  try {
    stored = JSON.parse(text ?? '{}')
  } catch {
    return {}
  }
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {}
  return Object.fromEntries(
    Object.entries(stored).flatMap(([id, entry]) => {
      const { success, output } = v.safeParse(learnedSchema, entry)
      return success ? [[id, output] as const] : []
    }),
  )
}

export function readLearned(): LearnedLessons {
  return parseLearned(readLocal(KEY))
}

export function writeLearned(learned: LearnedLessons): void {
  writeLocal(KEY, JSON.stringify(learned))
}
