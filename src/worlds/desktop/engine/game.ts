/** A task on a desktop as the engine plays it: the desktop, its layout, where it starts, and what is wanted. Plain data. */
import type { Desktop, Facts } from './facts.ts'
import type { Layout } from './layout.ts'

/** What has to be on the screen before giving up is right: pages of an application, and perhaps all of its buttons. */
export interface Evidence {
  app: number
  /** Bit p for page p. */
  pages: number
  needsButtons: boolean
}

/** Something that the task needs and does not name the place of. An agent knows it once it has seen one of `at`. */
export interface Missing {
  app: number
  /** Pages that show it. */
  at: number
  /** Pages that may show it, as far as one can know beforehand. */
  mayHold: number
}

/** What is asked, as the generator's templates understand it. */
export interface Wish {
  template: string
  parameters: Readonly<Record<string, string | number | boolean>>
}

export interface DesktopGame {
  id: string
  wish: Wish
  /** Whether the sentence is followed by a hint on where the missing thing is. */
  isHinted: boolean
  desktop: Desktop
  layout: Layout
  /** In front at the start, or -1. */
  front: number
  /** By application: the page in view at the start. */
  pages: readonly number[]
  start: Facts
  /** The facts that are wanted: the start with the task's changes. For an infeasible task, the start. */
  goal: Facts
  /** The page that the browser has to show at the end, or -1. */
  goalPage: number
  /** Contents that may be in the trash or not: files that the goal speaks of. */
  freeContents: readonly number[]
  /** Null for a feasible task. */
  evidence: readonly Evidence[] | null
  missing: readonly Missing[]
  /** What the agent reads: the goal's sentence, and perhaps a hint. */
  instruction: string
  /** What the task is about, for the split's pairs of object and target. */
  pair: readonly [object: string, target: string]
  /** Where the task came from, so that rewrites keep to its split. */
  origin: { split: 'train' | 'id' | 'ood'; seed: number }
}
