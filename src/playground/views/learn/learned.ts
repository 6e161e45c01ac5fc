/** The observations that you made in lessons, kept in this browser. */
import * as v from 'valibot'
import { readLocal, writeLocal } from '../../kit/local-text.ts'

const learnedSchema = v.object({
  /** One sentence with numbers. */
  evidence: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
  /** Milliseconds since 1970. */
  when: v.pipe(v.number(), v.finite(), v.minValue(0)),
  runId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  /** The newest iteration of the run at the time. */
  iteration: v.pipe(v.number(), v.integer(), v.minValue(0)),
})
export type Learned = v.InferOutput<typeof learnedSchema>
/** By lesson id. */
export type LearnedLessons = Readonly<Record<string, Learned>>

const KEY = 'playground.lessons'

/** Skips damaged entries. */
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
