/**
 * Runs that ship with the page besides each world's own: arms of published results. Each has the name of its file in `runs/`,
 * "household-grpo", by which a link names it like a kept run.
 */
import { SHIPPED_WORLDS } from '../../worlds/index.ts'

/** Recordings that the page itself links to. */
export const RECORDINGS = {
  /** Seed 2 of λ = 5 in the table `lambda`, published with `--groups 1 --every 10`: votes rise, held-out accuracy falls, and an alarm fires. */
  pleased: 'household-full-lambda-5',
} as const

/** Files beside a world's own run, which hold parts of it. */
const PARTS = ['episode', 'tokens', 'before-after']

/** Whether this is such a name. The page need not have a file for it. */
export function isRecording(name: string): boolean {
  const world = SHIPPED_WORLDS.find((each) => name.startsWith(`${each}-`))
  return world !== undefined && /^[\w.-]+$/.test(name) && !PARTS.includes(name.slice(world.length + 1))
}
