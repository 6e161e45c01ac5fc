/**
 * The reason that a critic gives for scoring one step +1 or −1. The reward model learns to write these from demonstrations, and the
 * critic summary counts them. Either score has a reason: the vocabulary includes what a critic says who is wrong.
 */
import type { DesktopState } from '../engine/state.ts'
import { areFactsMet } from '../engine/verdict.ts'

export interface JudgedStep {
  command: string
  /** What the step was about in the engine's terms. */
  did: 'nothing' | 'showed' | 'selected' | 'filled' | 'changed' | 'closed' | 'stopped' | 'gave up'
  won: boolean
  /** Whether it was the first look at a page. */
  isNewView: boolean
  /** Whether all that is wanted was on the screen and not saved. */
  isUnsaved: boolean
}

export function critique({ did, won, isNewView, isUnsaved }: JudgedStep, score: 1 | -1): string {
  const isGood = score === 1
  switch (did) {
    case 'nothing':
      return isGood ? 'came closer' : 'nothing happened'
    case 'showed':
      return isGood ? (isNewView ? 'opened the right place' : 'went back for what is needed') : 'opened a useless place'
    case 'selected':
      return isGood ? 'picked the right thing' : 'picked the wrong thing'
    case 'filled':
      return isGood ? 'filled in what is asked' : 'filled in something else'
    case 'changed':
      return isGood ? 'changed what is asked' : 'changed something else'
    case 'closed':
      return isGood ? 'closed what is not needed' : 'closed what was needed'
    case 'stopped':
      return isGood || won ? 'the goal is met' : isUnsaved ? 'forgot to save' : 'stopped too early'
    case 'gave up':
      return isGood ? 'saw that it cannot be done' : 'gave up without looking'
  }
}

/** What a critic knows about a step: the states before and after it, and what was said. */
export function judgedStep(before: DesktopState, command: string, after: DesktopState, accepted: boolean): JudgedStep {
  return {
    command,
    did: whatHappened(before, command, after, accepted),
    won: after.won,
    isNewView: before.seen !== after.seen,
    isUnsaved: isUnsaved(before),
  }
}

function whatHappened(
  before: DesktopState,
  command: string,
  after: DesktopState,
  accepted: boolean,
): JudgedStep['did'] {
  if (command === 'done') return 'stopped'
  if (command === 'fail') return 'gave up'
  if (!accepted) return 'nothing'
  const isChanged =
    before.facts !== after.facts || before.documents !== after.documents || before.tables !== after.tables
  if (isChanged) return 'changed'
  if (before.dialog && !after.dialog) return 'closed'
  if (before.dialog && after.dialog) return 'filled'
  if (after.dialog || before.items[after.front] !== after.items[after.front]) {
    return before.pages === after.pages ? 'selected' : 'showed'
  }
  return 'showed'
}

/** Whether saving everything would meet the goal that is not met now. */
function isUnsaved({ game, facts, documents, tables }: DesktopState): boolean {
  return !areFactsMet(game, facts) && areFactsMet(game, { ...facts, documents, tables })
}
