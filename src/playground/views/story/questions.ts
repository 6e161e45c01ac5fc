/**
 * What each step of the story asks before it shows the answer. Questions and answers are computed from the recorded episode, from
 * the run's rewrite and from the published results, so that they stay true when these are recorded again.
 */
import type { ResultsFile } from '../../../results/results-file.ts'
import type { Score } from '../../../method/ports.ts'
import type { BatchGroup } from '../../../runs/batch.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { TellingEpisode } from '../../../runs/telling-episode.ts'
import type { AcceptedRewrite } from '../../../runs/telling-rewrite.ts'
import { capital, counted, percent } from '../../kit/format.ts'
import { spread } from '../../kit/spread.ts'
import { signalGains } from './signals.ts'

export interface Question {
  ask: string
  choices: readonly { label: string; isRight: boolean }[]
  /** Why the right answer is right. */
  because: string
}

/** "Which steps does the outcome alone encourage?" */
export function outcomeQuestion({ group, settings, trajectory }: TellingEpisode): Question {
  const { steps } = group.episodes[trajectory]!.episode
  const advantages = group.derive({ ...settings, lambda: 0 }).policy[trajectory]!
  const encouraged = advantages.filter((value) => (value ?? 0) > 0).length
  const helpful = steps.filter(({ trueLabel }) => trueLabel === 1).length
  const isAll = encouraged === steps.length
  return {
    ask: `Rollout ${trajectory + 1} solved its task in ${counted(steps.length, 'step')}. How many of them does the outcome alone encourage?`,
    choices: numbered([encouraged, helpful, 0, 1], encouraged, (count) => numberWord(count, steps.length)),
    because: `${isAll ? 'All' : `${encouraged} of ${steps.length}`}. Every step of a solved episode is compared with the same steps of the other rollouts by outcome alone, so a wasted step earns as much as a useful one.`,
  }
}

/** "Which step turns at λ = 1?" */
export function votesQuestion({ group, settings, trajectory, step }: TellingEpisode): Question {
  const { steps } = group.episodes[trajectory]!.episode
  const [before, after] = [0, 1].map((lambda) => group.derive({ ...settings, lambda }).policy[trajectory]!) as [
    (number | null)[],
    (number | null)[],
  ]
  const turns = (k: number) => (before[k] ?? 0) > 0 && (after[k] ?? 0) < 0
  const others = steps.map((_, k) => k).filter((k) => !turns(k) && steps[k]!.command !== steps[step]!.command)
  const chosen = [...spread(others, MOST_CHOICES - 1), step].sort((a, b) => a - b)
  const turned = steps.flatMap(({ command }, k) => (turns(k) ? [`step ${k + 1}, “${command}”`] : []))
  return {
    ask: 'Set λ to 1, and the votes count as much as the outcome. Which step turns from encouraged to discouraged?',
    choices: chosen.map((k) => ({ label: `Step ${k + 1}: ${steps[k]!.command}`, isRight: turns(k) })),
    because:
      turned.length === 0
        ? 'None of them turns: the votes agree with the outcome in this episode.'
        : `${capital(turned.join(' and '))}. The environment answered: “${steps[step]!.observation}” The reward model noticed, and the outcome did not.`,
  }
}

interface VoteTally {
  /** Votes that train, and agree or disagree with the true label. */
  right: number
  wrong: number
  /** Right votes that consistency feedback encourages, and wrong ones that it discourages. */
  rightUp: number
  wrongDown: number
}

const noVotes = (): VoteTally => ({ right: 0, wrong: 0, rightUp: 0, wrongDown: 0 })

/** Counts a vote unless it does not train, cannot be read, or the truth is unknown. */
function count(tally: VoteTally, score: Score, trueLabel: 1 | -1 | null, advantage: number | null): void {
  if (advantage === null || score === 0 || trueLabel === null) return
  if (score === trueLabel) {
    tally.right++
    if (advantage > 0) tally.rightUp++
  } else {
    tally.wrong++
    if (advantage < 0) tally.wrongDown++
  }
}

/** What training does to right and wrong votes on a task's steps. Votes that do not train are left out. */
export function voteTally({ episodes, scores, derive }: BatchGroup, settings: TellingEpisode['settings']): VoteTally {
  const tally = noVotes()
  const { reward } = derive(settings)
  episodes.forEach(({ episode }, i) =>
    episode.steps.forEach(({ trueLabel }, k) =>
      scores[i]![k]!.forEach((score, j) => count(tally, score, trueLabel, reward[i]![k]![j] ?? null)),
    ),
  )
  return tally
}

/** The same on all tasks of a run whose steps its recording keeps, as the run logged it. */
function voteTallyOf(run: RunView): VoteTally {
  const tally = noVotes()
  for (const { episode, votes, rewardAdvantages } of run.iterations.flatMap(({ episodes }) => episodes))
    episode.steps.forEach(({ trueLabel }, k) =>
      votes?.[k]?.forEach(({ score }, j) => count(tally, score, trueLabel, rewardAdvantages?.[k]?.[j] ?? null)),
    )
  return tally
}

/**
 * "How many of the wrong votes does training discourage?" The episode's task is chosen for its telling step, so the whole run that
 * it is from says how usual its numbers are. Null until that is loaded.
 */
export function judgeQuestion({ group, settings }: TellingEpisode, run: RunView | null): Question {
  const { right, wrong, rightUp, wrongDown } = voteTally(group, settings)
  const usual = run && voteTallyOf(run)
  const elsewhere =
    usual &&
    `; on all recorded tasks of the run, ${percent(usual.wrongDown / usual.wrong)} and ${percent(usual.rightUp / usual.right)}`
  const all = `${counted(wrong, 'wrong vote')}`
  return {
    ask: `Only this page knows the true labels: ${wrong} of ${right + wrong} votes on this task that train are wrong. How many of the wrong ones does consistency feedback discourage?`,
    choices: numbered([wrongDown, wrong, 0, Math.floor(wrong / 2)], wrongDown, (count) => numberWord(count, wrong)),
    because: `${wrongDown} of ${all}, and it encourages ${rightUp} of ${counted(right, 'right vote')}${elsewhere ?? ''}. An outcome is no label: a good step of a failed rollout is pushed down as well. A judge can learn from outcomes that agree with steps more often than not, yet here it mostly became kinder: Results has what it gained and lost.`,
  }
}

/** "What happens to this task?" */
export function tasksQuestion({ proposal, resolution }: AcceptedRewrite, instruction: string): Question {
  const isHarder = proposal.direction === 'harder'
  return {
    ask: `${percent(proposal.accuracy)} of the rollouts of “${instruction}” succeed. What happens to this task?`,
    choices: [
      { label: 'It becomes harder', isRight: isHarder },
      { label: 'It becomes easier', isRight: !isHarder },
      { label: 'It stays as it is', isRight: false },
    ],
    because: `It becomes ${proposal.direction}: ${percent(resolution.accuracyAfter)} of the rollouts solve the new version, and the rule accepts it. Eight rollouts measure roughly, so chance accepts some rewrites that change nothing; Tasks shows how many.`,
  }
}

export const LOOP_QUESTION: Question = {
  ask: 'Take the reward model away. Which of these is left to train the policy?',
  choices: [
    { label: 'The outcome $O$', isRight: true },
    { label: 'The mean vote S̄', isRight: false },
    { label: 'The critic’s summary', isRight: false },
  ],
  because:
    'Only the outcome: plain GRPO. Votes reach the policy through $R$, outcomes reach the reward model through R · S, and its reasons reach the tasks through the critic’s summary.',
}

/** "Trained on votes alone, what happens to accuracy?"; null unless the table is published. */
export function breaksQuestion(signals: ResultsFile): Question | null {
  const gains = signalGains(signals)
  const votes = gains.find(({ row }) => row === 'step-trained')
  const outcome = gains.find(({ row }) => row === 'grpo')
  if (votes === undefined || outcome === undefined) return null
  const rises = votes.low !== null && votes.low > 0
  const falls = votes.high !== null && votes.high < 0
  const points = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)} points`
  return {
    ask: 'Train the policy on the votes of a reward model that learns, and never show it an outcome. What happens to accuracy on held-out games?',
    choices: [
      { label: 'It rises', isRight: rises },
      { label: 'Too close to call', isRight: !rises && !falls },
      { label: 'It falls', isRight: falls },
    ],
    because: `${points(votes.mean)} after ${votes.iterations} iterations (${counted(votes.n, 'seed')}), where outcomes alone gain ${points(outcome.mean)}. ${falls ? 'The policy learns to please its judge. The paper reports the opposite for a much larger reward model; Results has both.' : 'Results has every seed.'}`,
  }
}

const MOST_CHOICES = 4

function numberWord(count: number, all: number): string {
  if (count === 0) return 'None'
  return count === all ? `All ${all}` : `${count}`
}

/** The first three different numbers, in order; the right one is among them. */
function numbered(counts: readonly number[], right: number, word: (count: number) => string): Question['choices'] {
  const chosen = [...new Set(counts)].slice(0, 3).sort((a, b) => a - b)
  return chosen.map((count) => ({ label: word(count), isRight: count === right }))
}
