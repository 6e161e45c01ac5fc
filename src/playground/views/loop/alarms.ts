/**
 * Detects common failures of a run. Each rule reads metrics of finished iterations and reports its numbers and a setting to
 * try, or that there are too few iterations.
 *
 * The rules and their thresholds are ours; neither the paper nor the released code has any. They are loose, because people
 * ignore alarms that noise triggers.
 */
import type { RunView, Series } from '../../../runs/fold.ts'
import type { Settings } from '../../../method/settings.ts'
import { DRIFTED_MIX, hasDrifted, taskDrift } from '../../run/task-drift.ts'
import { counted, decimal, percent, signed } from '../../kit/format.ts'
import { heldOutFall } from './held-out-fall.ts'
import { mean } from '../../../results/moments.ts'

export const ALARMS = [
  'reward-collapse',
  'task-drift',
  'reward-hacking',
  'entropy-collapse',
  'kl-blow-up',
  'unparsable',
  'no-acceptance',
  'no-spread',
] as const
export type AlarmId = (typeof ALARMS)[number]

interface Lever {
  /** What to do, in one sentence. */
  advice: string
  /** The change that a button makes; null if there is none. */
  change: Partial<Settings> | null
}

export interface Alarm {
  id: AlarmId
  title: string
  /** The rule in words, with its thresholds. */
  rule: string
  state: 'quiet' | 'fired' | 'waiting'
  /** The numbers that the rule read, or what it is waiting for. */
  evidence: string
  lever: Lever
}

/** What a rule reads of a run. */
export type AlarmSource = Pick<RunView, 'series' | 'tasks' | 'settings'>

/** Iterations after which a fault counts as lasting. */
const LASTING = 3
const HALF = 5
const ACCEPTANCE_WINDOW = 10

const COLLAPSED_SCORE = 0.9
const HACKED_SCORE_RISE = 0.15
const HACKED_OUTCOME_FALL = 0.2
const COLLAPSED_ENTROPY = 0.2
const BLOWN_KL = 0.1
const UNPARSABLE_SHARE = 0.1
const MEASURED_CANDIDATES = 8
const CONSTANT_SETS = 0.8

type Finding = Pick<Alarm, 'state' | 'evidence'>
interface Rule {
  title: string
  rule: string
  look: (source: AlarmSource) => Finding
  lever: (settings: Settings) => Lever
}

const waiting = (evidence: string): Finding => ({ state: 'waiting', evidence })
const thereAre = (count: number): string => `there ${count === 1 ? 'is' : 'are'} ${count}`
const found = (isFired: boolean, evidence: string): Finding => ({ state: isFired ? 'fired' : 'quiet', evidence })
/** To two digits, since the controls show every digit. */
const third = (value: number) => Number((value / 3).toPrecision(2))
const lastOf = ({ values }: Readonly<Series>, count: number) => values.slice(-count)

/** Decides over the last values of a metric, or waits for more. */
function lasting(source: AlarmSource, name: string, decide: (values: number[]) => Finding): Finding {
  const values = lastOf(source.series(name), LASTING)
  return values.length < LASTING
    ? waiting(`Needs ${LASTING} finished iterations with ${name}; ${thereAre(values.length)}.`)
    : decide(values)
}

function quickHacking(source: AlarmSource): Finding {
  const scores = lastOf(source.series('policy/step_score/mean'), 2 * HALF)
  const outcomes = lastOf(source.series('policy/outcome/mean'), 2 * HALF)
  if (Math.min(scores.length, outcomes.length) < 2 * HALF)
    return waiting(`Needs ${2 * HALF} judged iterations; ${thereAre(Math.min(scores.length, outcomes.length))}.`)
  const rise = mean(scores.slice(HALF)) - mean(scores.slice(0, HALF))
  const fall = mean(outcomes.slice(HALF)) - mean(outcomes.slice(0, HALF))
  return found(
    rise >= HACKED_SCORE_RISE && fall <= -HACKED_OUTCOME_FALL,
    `mean vote ${signed(rise)}, mean outcome ${signed(fall)}`,
  )
}

/** Null unless it fires. */
function slowHacking(source: AlarmSource): Finding | null {
  const fall = heldOutFall(source, source.settings?.evaluationTasks ?? 0, HALF)
  if (fall === null || !fall.isBeyondChance || fall.voteRise < HACKED_SCORE_RISE) return null
  const [id, ood] = fall.best.map((best, i) => `${percent(best)} to ${percent(fall.last[i])}`)
  return found(
    true,
    `since the best evaluation: mean vote ${signed(fall.voteRise)}, held-out accuracy ${id!} in distribution and ${ood!} out of it`,
  )
}

const RULES: Record<AlarmId, Rule> = {
  'reward-collapse': {
    title: 'The reward model always gives the same vote',
    rule: `|mean vote| ≥ ${COLLAPSED_SCORE} with the same sign in each of the last ${LASTING} iterations.`,
    look: (source) =>
      lasting(source, 'policy/step_score/mean', (scores) => {
        const isPlus = scores.every((score) => score >= COLLAPSED_SCORE)
        const isMinus = scores.every((score) => score <= -COLLAPSED_SCORE)
        const mu = source.series('theory/mu').values.at(-1)
        return found(
          isPlus || isMinus,
          `mean vote ${scores.map((score) => signed(score)).join(', ')}` +
            (mu === undefined ? '' : `; μ = ${decimal(mu)}, and votes carry a signal only above 1`),
        )
      }),
    lever: (settings) =>
      settings.rewardAccuracyLow < 0.2
        ? {
            advice:
              'Train it only on tasks of medium accuracy: where all rollouts fail, −1 always pays, and where all succeed, +1. Takes effect with the next run.',
            change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
          }
        : {
            advice:
              'Let the tasks adapt, so that some rollouts succeed and some fail, and lower the learning rate of the reward model.',
            change: { adaptEnvironment: true, rewardLearningRate: settings.rewardLearningRate / 2 },
          },
  },
  'task-drift': {
    title: 'The tasks have drifted from the originals',
    rule: `The mix of task kinds has moved by more than ${percent(DRIFTED_MIX)} of the pool (total variation), or rewritten tasks share less than half of their words with their originals.`,
    look: (source) => {
      const drift = taskDrift(source.tasks)
      if (drift.rewritten === 0) return waiting('No rewritten task is active yet.')
      return found(
        hasDrifted(drift),
        `${drift.rewritten} of ${drift.active} tasks rewritten; mix of kinds moved by ${percent(drift.mix)}; mean distance of words ${decimal(drift.words)}`,
      )
    },
    lever: () => ({
      advice:
        'Stop adapting the tasks and see whether held-out accuracy still rises. A narrower band rewrites more often, a wider one less.',
      change: { adaptEnvironment: false },
    }),
  },
  'reward-hacking': {
    title: 'Votes rise while outcomes fall',
    rule: `From the ${HALF} iterations before to the last ${HALF}: mean vote up by ${HACKED_SCORE_RISE} or more, and mean outcome down by ${HACKED_OUTCOME_FALL} or more. Or since the best evaluation: mean vote up by as much, and held-out accuracy down by more than two standard errors, in both splits.`,
    look: (source) => {
      const quick = quickHacking(source)
      return quick.state === 'fired' ? quick : (slowHacking(source) ?? quick)
    },
    lever: ({ signal, lambda }) => {
      const check = 'Outcomes also fall when tasks become harder, so check held-out accuracy.'
      if (signal === 'step')
        return {
          advice: `Let the outcome train the policy as well: $R = O + λ S̄$. ${check}`,
          change: { signal: 'integrated' },
        }
      // λ weighs votes against the outcome only where both reach the policy.
      return signal === 'outcome' || lambda === 0
        ? { advice: `Votes do not train the policy, so it cannot learn to please them. ${check}`, change: null }
        : { advice: `Give the outcome more weight: halve λ. ${check}`, change: { lambda: lambda / 2 } }
    },
  },
  'entropy-collapse': {
    title: 'The policy no longer explores',
    rule: `Mean policy entropy of the last ${LASTING} iterations under ${percent(COLLAPSED_ENTROPY)} of that of the first ${LASTING}.`,
    look: (source) => {
      const { values } = source.series('policy/entropy')
      if (values.length < 2 * LASTING)
        return waiting(`Needs ${2 * LASTING} finished iterations; ${thereAre(values.length)}.`)
      const first = mean(values.slice(0, LASTING))
      const last = mean(values.slice(-LASTING))
      return found(last < COLLAPSED_ENTROPY * first, `${decimal(first, 3)} nats at first, ${decimal(last, 3)} now`)
    },
    lever: (settings) => ({
      advice: 'Raise the temperature and lower the learning rate.',
      change: {
        policyTemperature: Math.min(2, Math.round((settings.policyTemperature + 0.2) * 100) / 100),
        policyLearningRate: settings.policyLearningRate / 2,
      },
    }),
  },
  'kl-blow-up': {
    title: 'An update goes too far',
    rule: `|KL| between a model before and after its update above ${BLOWN_KL} nats a token, on average over the last ${LASTING} iterations.`,
    look: (source) => {
      const findings = (['policy', 'reward'] as const).map((role) => {
        const values = lastOf(source.series(`${role}/ppo_kl`), LASTING).map(Math.abs)
        return { role, values, mean: values.length === LASTING ? mean(values) : null }
      })
      const known = findings.filter((finding) => finding.mean !== null)
      if (known.length === 0) return waiting(`Needs ${LASTING} finished iterations.`)
      return found(
        known.some((finding) => finding.mean! > BLOWN_KL),
        known.map(({ role, mean: value }) => `${role} ${decimal(value, 4)}`).join(', '),
      )
    },
    lever: (settings) => ({
      advice: 'Lower the learning rates, or raise the KL penalty.',
      change: {
        policyLearningRate: third(settings.policyLearningRate),
        rewardLearningRate: third(settings.rewardLearningRate),
        klCoefficient: Math.min(10, Math.max(0.01, settings.klCoefficient * 2)),
      },
    }),
  },
  unparsable: {
    title: 'The reward model writes unreadable votes',
    rule: `More than ${percent(UNPARSABLE_SHARE)} of evaluations unreadable, on average over the last ${LASTING} iterations.`,
    look: (source) =>
      lasting(source, 'reward/parse_fail_rate', (shares) =>
        found(mean(shares) > UNPARSABLE_SHARE, `unreadable: ${shares.map((share) => percent(share, 1)).join(', ')}`),
      ),
    lever: (settings) => ({
      advice: 'Lower the temperature of the reward model.',
      change: { rewardTemperature: Math.max(0.05, Math.round((settings.rewardTemperature - 0.3) * 100) / 100) },
    }),
  },
  'no-acceptance': {
    title: 'Rewrites are no longer accepted',
    rule: `None of ${MEASURED_CANDIDATES} or more candidates measured in the last ${ACCEPTANCE_WINDOW} iterations was accepted.`,
    look: (source) => {
      // The next iteration measures what an iteration proposes.
      const proposed = source.series('env/proposed').values.slice(-ACCEPTANCE_WINDOW - 1, -1)
      const accepted = lastOf(source.series('env/accepted'), ACCEPTANCE_WINDOW)
      const total = proposed.reduce((sum, value) => sum + value, 0)
      if (total < MEASURED_CANDIDATES)
        return waiting(
          `Needs ${MEASURED_CANDIDATES} measured candidates in the last ${ACCEPTANCE_WINDOW} iterations; ${thereAre(total)}.`,
        )
      const taken = accepted.reduce((sum, value) => sum + value, 0)
      return found(
        taken === 0,
        `${taken} of ${total} candidates accepted in the last ${counted(proposed.length, 'iteration')}`,
      )
    },
    lever: (settings) => ({
      advice:
        'Measure candidates with more rollouts, since a small group often gets accuracy 0 or 1 by chance, and raise the temperature of the author.',
      change: {
        groupSize: Math.min(64, settings.groupSize * 2),
        authorTemperature: Math.min(2, Math.round((settings.authorTemperature + 0.2) * 100) / 100),
      },
    }),
  },
  'no-spread': {
    title: 'Groups do not differ, so nothing is learned',
    rule: `More than ${percent(CONSTANT_SETS)} of comparison sets have the same feedback throughout or are dropped by the filter on accuracy, on average over the last ${LASTING} iterations.`,
    look: (source) =>
      lasting(source, 'policy/frac_reward_zero_std', (shares) => {
        const dropped = lastOf(source.series('policy/frac_untrained_groups'), LASTING)
        return found(
          mean(shares) > CONSTANT_SETS,
          `without spread: ${shares.map((share) => percent(share)).join(', ')}` +
            (dropped.some((share) => share > 0)
              ? `; groups dropped by the filter: ${dropped.map((share) => percent(share)).join(', ')}`
              : ''),
        )
      }),
    lever: (settings) =>
      settings.signal !== 'outcome' && (settings.policyAccuracyLow > 0 || settings.policyAccuracyHigh < 1)
        ? {
            advice:
              'Open the filter: where all rollouts fail or succeed, votes still tell steps apart. Takes effect with the next run.',
            change: { policyAccuracyLow: 0, policyAccuracyHigh: 1 },
          }
        : {
            advice: 'Use votes and outcome together, and let the tasks adapt towards medium accuracy.',
            change: { signal: 'integrated', adaptEnvironment: true },
          },
  },
}

/** Evaluates all rules, in the order of ALARMS. All of them wait before the first run. */
export function alarmsOf(source: AlarmSource): Alarm[] {
  return ALARMS.map((id) => {
    const { title, rule, look, lever } = RULES[id]
    const finding = source.settings ? look(source) : waiting('Nothing has run yet.')
    return {
      id,
      title,
      rule,
      ...finding,
      lever: source.settings ? lever(source.settings) : { advice: '', change: null },
    }
  })
}
