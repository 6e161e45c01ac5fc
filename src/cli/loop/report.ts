/**
 * What the command line shows of a run: a line of metrics for each iteration, as text or JSON, and the loop's progress in a terminal.
 * Everything comes from the run's events.
 */
import type { BackendChoice } from '../../engines/backends/choice.ts'
import type { Players } from '../../sessions/open-players.ts'
import { ROLES } from '../../method/ports.ts'
import { judgeMeasures } from '../../method/judge-evaluation/measures.ts'
import { metricPoints, servesOf } from '../../method/metric-points.ts'
import {
  isLogged,
  type EvaluationFinished,
  type JudgeEvaluated,
  type LoggedEvent,
  type PhaseProgressed,
  type RunEvent,
} from '../../method/events.ts'

export interface Output {
  write(text: string): unknown
  isTTY?: boolean
}

export interface ReportOptions {
  isJson: boolean
  iterations: number
  stdout: Output
  stderr: Output
}

const BAR_WIDTH = 24
const CLEAR_LINE = '\r\u001B[2K'

/** Events between the measurements of one evaluation. */
const OF_EVALUATION: ReadonlySet<RunEvent['type']> = new Set(['episode', 'tests-written'])

/** The metrics of an iteration in a line of text. */
const SHOWN: readonly [label: string, metric: string, digits: number][] = [
  ['acc', 'policy/acc', 3],
  ['process acc', 'reward/process_acc', 3],
  ['UT', 'reward/ut', 3],
  ['Detect', 'reward/detect', 3],
  ['parse fails', 'reward/parse_fail_rate', 3],
  ['in band', 'env/frac_in_band', 2],
  ['proposed', 'env/proposed', 0],
  ['accepted', 'env/accepted', 0],
  ['tokens/s', 'perf/tokens_per_s', 0],
  ['s', 'timing_s/step', 1],
]

export class RunReport {
  readonly #options: ReportOptions
  #timings: Record<string, number> = {}
  #evaluations: (LoggedEvent & (EvaluationFinished | JudgeEvaluated))[] = []
  #isBarShown = false

  constructor(options: ReportOptions) {
    this.#options = options
  }

  take(event: RunEvent): void {
    if (event.type === 'progress') this.#showProgress(event)
    if (event.type === 'timings') this.#timings = event.metrics
    if (event.type === 'evaluation' || event.type === 'judge-evaluation') this.#evaluations.push(event)
    else if (isLogged(event) && !OF_EVALUATION.has(event.type)) this.#printEvaluation()
    if (event.type === 'iteration-finished') {
      const metrics = { ...event.metrics, ...this.#timings }
      this.#timings = {}
      this.#print(metrics, () => this.#lineOf(event.iteration, metrics))
    }
    if (event.type === 'run-finished') this.end()
  }

  /** Completes or clears the current line. */
  end(): void {
    this.#printEvaluation()
    if (this.#isBarShown) this.#options.stderr.write(CLEAR_LINE)
    this.#isBarShown = false
  }

  #printEvaluation(): void {
    const evaluations = this.#evaluations
    const iteration = evaluations[0]?.iteration
    if (iteration === undefined) return
    this.#evaluations = []
    const metrics = { 'training/global_step': iteration, ...Object.fromEntries(evaluations.flatMap(metricPoints)) }
    this.#print(metrics, () => `evaluation after ${iteration}: ${evaluationWords(evaluations)}`)
  }

  #lineOf(iteration: number, metrics: Record<string, number>): string {
    const shown = SHOWN.flatMap(([label, name, digits]) => {
      const value = metrics[name]
      return value === undefined ? [] : [`${label} ${value.toFixed(digits)}`]
    })
    return `iteration ${iteration}: ${shown.join(', ')}`
  }

  #print(metrics: Record<string, number>, words: () => string): void {
    if (this.#isBarShown) this.#options.stderr.write(CLEAR_LINE)
    this.#isBarShown = false
    const finite = Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value)))
    this.#options.stdout.write(`${this.#options.isJson ? JSON.stringify(finite) : words()}\n`)
  }

  #showProgress({ iteration, phase, done, total }: PhaseProgressed & { iteration: number }): void {
    const { stderr, iterations } = this.#options
    if (stderr.isTTY !== true) return
    const filled = total > 0 ? Math.round((done / total) * BAR_WIDTH) : 0
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
    stderr.write(`${CLEAR_LINE}iteration ${iteration}/${iterations} ${bar} ${phase} ${done}/${total}`)
    this.#isBarShown = true
  }
}

/** "id acc 0.250 (sampled 0.200), ood acc ..., judge balanced 0.612"; for programs and tests "id Code 0.250 UT 0.500 Detect 0.125 (sampled ...)". */
function evaluationWords(measured: readonly (EvaluationFinished | JudgeEvaluated)[]): string {
  const evaluations = measured.filter((event) => event.type === 'evaluation')
  const words = (['id', 'ood'] as const).flatMap((split) => {
    const own = evaluations.filter((event) => event.split === split)
    const sampled = own.find((event) => servesOf(event) === 'training')
    const main = own.find((event) => event !== sampled) ?? sampled
    if (!main) return []
    const beside = sampled && sampled !== main ? ` (sampled ${measureWords(sampled)})` : ''
    return [`${split} ${measureWords(main)}${beside}`]
  })
  const judge = measured.find((event) => event.type === 'judge-evaluation')
  return [...words, ...(judge ? judgeWords(judgeMeasures(judge)) : [])].join(', ')
}

function measureWords({ acc, tests }: EvaluationFinished): string {
  if (tests === undefined) return `acc ${acc.toFixed(3)}`
  const { ut, detect } = tests
  return `Code ${acc.toFixed(3)} UT ${ut?.toFixed(3) ?? 'unknown'} Detect ${detect?.toFixed(3) ?? 'unknown'}`
}

const JUDGE_WORDS: readonly [metric: string, label: string][] = [
  ['judge/balanced_acc', 'judge balanced'],
  ['judge/process_acc', 'process'],
  ['judge/good_acc', 'good steps'],
  ['judge/accepted_bad_acc', 'accepted bad steps'],
  ['judge/outcome_acc', 'outcome'],
  ['judge/ut', 'UT on fixed programs'],
  ['judge/detect', 'Detect'],
]

function judgeWords(measures: Record<string, number | null>): string[] {
  return JUDGE_WORDS.flatMap(([metric, label]) => {
    const value = measures[metric]
    return typeof value === 'number' ? [`${label} ${value.toFixed(3)}`] : []
  })
}

/** "Backend: cpu, because WebGPU offers no graphics adapter here." */
export function choiceLine({ backend, why, tokensPerSecond }: BackendChoice): string {
  const speeds = Object.entries(tokensPerSecond).map(
    ([name, speed]) => `${name} ${Math.round(speed).toLocaleString('en')}`,
  )
  const measured = speeds.length === 0 ? '' : ` In tokens/s: ${speeds.join(', ')}.`
  const clause = NAME_FIRST.test(why) ? why : why.charAt(0).toLowerCase() + why.slice(1)
  return `Backend: ${backend}, because ${clause}${measured}`
}

/** "Models: policy SmolLM2-135M-Instruct (134,515,008 parameters, 1,843,200 trainable), ..." */
export function playersLine({ names, infos }: Pick<Players, 'names' | 'infos'>): string {
  const number = (value: number) => value.toLocaleString('en')
  const words = ROLES.map((role) => {
    const { parameters, trainedParameters } = infos[role]
    if (parameters === 0) return `${role} ${names[role]}`
    const trained =
      trainedParameters === undefined || role === 'author' ? '' : `, ${number(trainedParameters)} trainable`
    return `${role} ${names[role]} (${number(parameters)} parameters${trained})`
  })
  return `Models: ${words.join(', ')}.`
}

/** Sentences that begin with a name, which stays capitalised within another sentence. */
const NAME_FIRST = /^(WebGPU|Node) /
