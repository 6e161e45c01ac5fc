/**
 * What an evaluation on fixed trajectories says about the reward model, over both splits and all strengths:
 *
 *     judge/process_acc        votes that equal the true label of their step / votes
 *     judge/good_acc, bad_acc  the same among steps with the true label +1, and -1
 *     judge/accepted_bad_acc   that among steps with the true label -1 whose command the world accepted
 *     judge/balanced_acc       (good_acc + bad_acc) / 2: 1/2 for a judge that always says the same
 *     judge/outcome_step_acc   votes that equal the outcome of their trajectory / votes
 *     judge/outcome_acc        trajectories where the sign of the mean vote equals the outcome / trajectories
 *     judge/ut, detect         of the tests written for fixed programs (test-writing/test-metrics.ts)
 *
 * An unparsable vote is wrong, and so is a mean of 0. Null without anything to count.
 */
import type { JudgeEvaluated, VoteCounts } from '../events.ts'

export const JUDGE_MEASURES: Readonly<Record<string, string>> = {
  'judge/process_acc': 'Share of votes on fixed held-out trajectories that equal the true label of the step.',
  'judge/balanced_acc': 'Mean of the accuracies on good and on bad steps of fixed held-out trajectories.',
  'judge/good_acc': 'Share of votes on good steps of fixed held-out trajectories that are +1.',
  'judge/bad_acc': 'Share of votes on bad steps of fixed held-out trajectories that are -1.',
  'judge/accepted_bad_acc':
    'Share of votes that are -1 on bad steps of fixed held-out trajectories whose command the world accepted. Refused commands are easier to judge.',
  'judge/outcome_step_acc': 'Share of votes on fixed held-out trajectories that equal the outcome of the trajectory.',
  'judge/outcome_acc': 'Share of fixed held-out trajectories where the sign of the mean vote equals the outcome.',
  'judge/ut': 'UT on fixed programs: share of written tests that all correct programs of the problem pass.',
  'judge/detect':
    'Detect on fixed programs: share of written tests that all correct programs pass and all wrong ones fail.',
}

export function judgeMeasures({
  votes,
  tests,
}: Pick<JudgeEvaluated, 'votes' | 'tests'>): Record<string, number | null> {
  return { ...(votes && voteMeasures(votes)), ...(tests && testMeasures(tests)) }
}

function voteMeasures(cells: NonNullable<JudgeEvaluated['votes']>): Record<string, number | null> {
  const total = totals(cells, [
    ...([
      'goodVotes',
      'goodRight',
      'badVotes',
      'badRight',
      'outcomeVotesRight',
      'trajectories',
      'outcomesRight',
    ] as const),
  ])
  const all = total.goodVotes + total.badVotes
  const good = share(total.goodRight, total.goodVotes)
  const bad = share(total.badRight, total.badVotes)
  // Logs from before refused commands were told apart have no such counts.
  const accepted = cells.every(tellsRefused) ? totals(cells, ['acceptedBadVotes', 'acceptedBadRight']) : null
  return {
    'judge/process_acc': share(total.goodRight + total.badRight, all),
    'judge/balanced_acc': good === null || bad === null ? null : (good + bad) / 2,
    'judge/good_acc': good,
    'judge/bad_acc': bad,
    'judge/accepted_bad_acc': accepted && share(accepted.acceptedBadRight, accepted.acceptedBadVotes),
    'judge/outcome_step_acc': share(total.outcomeVotesRight, all),
    'judge/outcome_acc': share(total.outcomesRight, total.trajectories),
  }
}

function tellsRefused<Cell extends VoteCounts>(cell: Cell): cell is Cell & Required<VoteCounts> {
  return cell.acceptedBadVotes !== undefined
}

function testMeasures(cells: NonNullable<JudgeEvaluated['tests']>): Record<string, number | null> {
  const { utTests, utTrue, detectTests, detecting } = totals(cells, ['utTests', 'utTrue', 'detectTests', 'detecting'])
  return { 'judge/ut': share(utTrue, utTests), 'judge/detect': share(detecting, detectTests) }
}

function totals<Name extends string>(
  cells: readonly Record<Name, number>[],
  names: readonly Name[],
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, cells.reduce((sum, cell) => sum + cell[name], 0)])) as Record<
    Name,
    number
  >
}

function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null
}
