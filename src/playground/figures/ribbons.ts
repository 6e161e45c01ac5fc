/**
 * A telling episode under some λ, as rows of tiles: its own steps in words, and the other rollouts of its task as thin rows. In
 * a world of programs a tile is a program, and there are no other rows.
 */
import { compact, counted, signed } from '../kit/format.ts'
import type { Outcome, Score } from '../../method/ports.ts'
import { isFlipped } from '../../runs/batch.ts'
import { FLIP, isWithoutEffect, type TellingEpisode } from '../../runs/telling-episode.ts'
import { writeStop } from '../run/lambda-stops.ts'
import { commandOf, votesWords } from '../run/step-words.ts'

export interface Tile {
  /** The advantage's place in the group. */
  trajectory: number
  step: number
  /** Number of the step or program, from 1. */
  number: number
  /** What was done. */
  action: string
  votes: readonly Score[]
  feedback: number
  /** Null where it does not train, and while a question asks for it. */
  advantage: number | null
  /** Whether a question asks for the advantage, so that nothing shows it. */
  isAsked: boolean
  /** Whether it is the step that the episode was chosen for. */
  isTelling: boolean
  /** Whether its sign differs from the one at λ = 0. */
  isFlipped: boolean
  /** "Step 3: go to fridge 1" */
  name: string
  /** Its votes and its R, in words. */
  judged: string
  /** Everything about it, in a sentence. */
  label: string
}

export interface Ribbon {
  trajectory: number
  outcome: Outcome
  tiles: Tile[]
}

export interface Ribbons {
  noun: 'step' | 'program'
  own: Tile[]
  /** The outcome of the episode; null for a group of programs, each of which has its own. */
  outcome: Outcome | null
  others: Ribbon[]
}

export function ribbons(
  { group, settings, trajectory: chosen, step: telling }: TellingEpisode,
  lambda: number,
): Ribbons {
  const now = group.derive({ ...settings, lambda })
  const before = group.derive({ ...settings, lambda: FLIP.from })
  const noun = group.kind === 'steps' ? 'step' : 'program'
  const tile = (trajectory: number, step: number): Tile => {
    const votes = group.scores[trajectory]![step]!
    const feedback = now.feedback[trajectory]![step]!
    const advantage = now.policy[trajectory]![step] ?? null
    const number = (noun === 'step' ? step : trajectory) + 1
    const action = noun === 'step' ? commandOf(group, trajectory, step) : verdictOf(group, trajectory)
    const name = `${noun === 'step' ? 'Step' : 'Program'} ${number}: ${action}`
    const judged = `${votesWords(votes)}, R ${signed(feedback)}`
    return {
      trajectory,
      step,
      number,
      action,
      votes,
      feedback,
      advantage,
      isAsked: false,
      isTelling: trajectory === chosen && step === telling,
      isFlipped: isFlipped(before.policy[trajectory]![step] ?? null, advantage),
      name,
      judged,
      label: `${name}. ${judged}, ${effectWords(advantage)}`,
    }
  }
  const rowOf = (trajectory: number) => group.scores[trajectory]!.map((_, step) => tile(trajectory, step))
  if (noun === 'program') {
    return { noun, own: group.outcomes.map((_, trajectory) => tile(trajectory, 0)), outcome: null, others: [] }
  }
  return {
    noun,
    own: rowOf(chosen),
    outcome: group.outcomes[chosen]!,
    others: group.outcomes.flatMap((outcome, trajectory) =>
      trajectory === chosen ? [] : [{ trajectory, outcome, tiles: rowOf(trajectory) }],
    ),
  }
}

/** The same tiles without what a question asks for: the advantages, and R, which gives them away. */
export function asked(rows: Ribbons): Ribbons {
  const hide = (tile: Tile): Tile => {
    const judged = votesWords(tile.votes)
    return { ...tile, advantage: null, isAsked: true, isFlipped: false, judged, label: `${tile.name}. ${judged}` }
  }
  return {
    ...rows,
    own: rows.own.map(hide),
    others: rows.others.map((row) => ({ ...row, tiles: row.tiles.map(hide) })),
  }
}

type Group = TellingEpisode['group']

/** "wrong, passes 15 of 16", of the written tests */
function verdictOf(group: Group, trajectory: number): string {
  const scores = group.scores[trajectory]![0]!
  const run = scores.filter((score) => score !== 0)
  const passed = run.filter((score) => score === 1).length
  return `${group.outcomes[trajectory] === 1 ? 'right' : 'wrong'}, passes ${passed} of ${run.length}`
}

function effectWords(advantage: number | null): string {
  if (advantage === null) return 'does not train'
  return `advantage ${signed(advantage)}, ${effectOf(advantage)}`
}

export function effectOf(advantage: number | null): 'encouraged' | 'discouraged' | 'not trained' {
  if (advantage === null || advantage === 0) return 'not trained'
  return advantage > 0 ? 'encouraged' : 'discouraged'
}

/** The telling step and what λ does to it, as parts of a sentence. */
export interface Verdict {
  /** "At λ = 0, step 4" */
  start: string
  /** The step in words; empty for a program. */
  action: string
  effect: ReturnType<typeof effectOf>
  /** "although nothing happened." */
  end: string
  /** Said where the run has no step that changes its sign; else empty. */
  problem: string
}

export function verdict(
  telling: TellingEpisode,
  lambda: number,
  noEffect: string | null,
  falselyPassed: number,
): Verdict {
  const { group, settings, trajectory, step, isFlipping } = telling
  const advantage = group.derive({ ...settings, lambda }).policy[trajectory]![step] ?? null
  const effect = effectOf(advantage)
  const isStep = group.kind === 'steps'
  const at = `At λ = ${writeStop(lambda)}, ${isStep ? `step ${step + 1}` : `program ${trajectory + 1}`}`
  const idle = isStep && isWithoutEffect(group.episodes[trajectory]!.episode.steps[step]!, noEffect)
  const failing = idle ? 'nothing happened' : isStep ? 'it came no closer to the goal' : 'it is wrong'
  const tests = counted(falselyPassed, 'false test')
  const end = isStep
    ? effect === 'encouraged'
      ? `although ${failing}.`
      : effect === 'discouraged'
        ? `because ${failing}${sum(group.scores[trajectory]![step]!) < 0 ? ' and the votes say so' : ''}.`
        : 'at all.'
    : effect === 'encouraged'
      ? `although ${failing}: it passes ${tests}.`
      : effect === 'discouraged'
        ? `because ${failing}.`
        : 'at all.'
  return {
    start: at,
    action: isStep ? commandOf(group, trajectory, step) : '',
    effect,
    end,
    problem: isFlipping
      ? ''
      : `No ${isStep ? 'wasted step' : 'wrong program'} of this run changes its sign between λ = ${compact(FLIP.from)} and λ = ${compact(FLIP.to)}; this one comes nearest.`,
  }
}

const sum = (votes: readonly Score[]): number => votes.reduce<number>((total, vote) => total + vote, 0)

/** How many false tests the telling program passes; 0 for a step. */
export function falseTestsPassed(
  { group, trajectory }: TellingEpisode,
  written: readonly { isTrue: boolean | null }[],
): number {
  if (group.kind === 'steps') return 0
  const scores = group.scores[trajectory]![0]!
  return written.filter(({ isTrue }, test) => isTrue === false && scores[test] === 1).length
}
