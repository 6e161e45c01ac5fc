/** The test kit: checks a world by playing it. Every check is one line, which says what was tried and what to correct. */
import { chance, pick, seededRandom, type Random } from '../random.ts'
import type { Split } from '../../method/ports.ts'
import { OwnEnvironment } from './environment.ts'
import { OwnWorldError } from './error.ts'
import { BOUNDS, type Data, type OwnGuest } from './guest.ts'
import { distanceOf, labelOf } from './insight.ts'
import { describeTask, sampleTasks } from './tasks.ts'

export interface CheckLine {
  name: string
  passed: boolean
  /** One sentence. */
  detail: string
}

const SPLITS: readonly Split[] = ['train', 'id', 'ood']
/** Tasks of each split that are drawn, and those that are played, and those in which every part is asked. */
const DRAWN = 300
const PLAYED = 15
const ASKED = 4
/** Training tasks that are rewritten. */
const REWRITTEN = 40
/** Fewer different tasks teach or measure little. */
const FEWEST: Readonly<Record<Split, number>> = { train: 10, id: 2, ood: 2 }
const MAX_STEPS = 20
/** What models may say that is no command. */
const NONSENSE = ['', ' ', 'xyzzy', 'go', '{"a":1}', '__proto__', '🙂', 'a'.repeat(2000), 'look\nlook']

type Check = (trial: Trial) => CheckLine | null | Promise<CheckLine | null>

/** The lines in the order of the checks; a check that the world does not need is left out. Never throws OwnWorldError. */
export async function* checkWorld(guest: OwnGuest): AsyncGenerator<CheckLine> {
  const checks: [name: string, check: Check][] = [
    ['tasks', differentTasks],
    ['splits', heldOutTasks],
    ['start', openStarts],
    ['repeatable', repeatedPlay],
    ['refusals', refusedNonsense],
    ['expert', expertWins],
    ['distance', distanceFalls],
    ['parts', answersEverywhere],
    ['rewrites', validRewrites],
    ['sizes', sizes],
  ]
  const trial = new Trial(guest)
  for (const [name, check] of checks) {
    try {
      const line = await check(trial)
      if (line) yield line
    } catch (error) {
      if (!(error instanceof OwnWorldError)) throw error
      yield { name, passed: false, detail: error.message }
    }
  }
}

interface ExpertPlay {
  task: Data
  commands: string[]
  states: Data[]
  won: boolean
}

/** What several checks need, drawn and played once. Every getter and method throws OwnWorldError. */
class Trial {
  readonly #drawn = new Map<Split, string[]>()
  #plays: ExpertPlay[] | null = null

  constructor(readonly guest: OwnGuest) {}

  /** Tasks as JSON. */
  drawn(split: Split): string[] {
    const known = this.#drawn.get(split)
    if (known) return known
    const tasks = Array.from({ length: DRAWN }, (_, seed) => JSON.stringify(this.guest.task(split, seed)))
    this.#drawn.set(split, tasks)
    return tasks
  }

  /** The tasks to play, with the splits in turn. */
  get tasks(): Data[] {
    return Array.from({ length: PLAYED }, (_, at) =>
      SPLITS.map((split) => JSON.parse(this.drawn(split)[at]!) as Data),
    ).flat()
  }

  /** The expert's play of these tasks; none without an expert. */
  get plays(): readonly ExpertPlay[] {
    return (this.#plays ??= this.guest.parts.has('expert')
      ? this.tasks.map((task) => expertPlay(this.guest, task))
      : [])
  }

  /** What a model that errs may say: what the expert says elsewhere, a phrase of the rules, or nonsense. */
  command(random: Random): string {
    const ofExpert = [...new Set(this.plays.flatMap(({ commands }) => commands))]
    const ofRules = this.guest.rules.split(/[,.:;\n"'`]|\b(?:and|or)\b/).map((phrase) => phrase.trim())
    const groups = [ofExpert, ofRules, NONSENSE].filter((group) => group.length > 0)
    return pick(random, pick(random, groups))
  }
}

function differentTasks(trial: Trial): CheckLine {
  const counts = SPLITS.map((split) => ({ split, count: new Set(trial.drawn(split)).size, least: FEWEST[split] }))
  const short = counts.filter(({ count, least }) => count < least)
  const found = `Of ${DRAWN} tasks of each split, ${counts.map(({ split, count }) => `${count} of ${split}`).join(', ')} differ.`
  const demand =
    ` Needed are ${short.map(({ split, least }) => `${least} of ${split}`).join(', ')}. Either there are too few, or \`task\` does not ` +
    'draw them from `random`: Math.random gives the same numbers in every call.'
  return { name: 'tasks', passed: short.length === 0, detail: short.length === 0 ? found : found + demand }
}

function heldOutTasks(trial: Trial): CheckLine {
  const training = new Set(trial.drawn('train'))
  const shared = [...new Set([...trial.drawn('id'), ...trial.drawn('ood')])].filter((task) => training.has(task))
  return {
    name: 'splits',
    passed: shared.length === 0,
    detail:
      shared.length === 0
        ? 'No held-out task was drawn for training.'
        : `${shared.length} held-out tasks are also drawn for training, such as ${shared[0]!.slice(0, 120)}.`,
  }
}

function openStarts({ guest, tasks }: Trial): CheckLine {
  const over = tasks.find((task) => guest.outcome(guest.reset(task).state) !== 'open')
  return {
    name: 'start',
    passed: over === undefined,
    detail:
      over === undefined
        ? `All ${tasks.length} episodes begin open.`
        : `An episode is over before it begins: ${JSON.stringify(over).slice(0, 120)}.`,
  }
}

/** A transcript of commands that the world was given at random. */
function transcript(trial: Trial, task: Data): string {
  const { guest } = trial
  const random = seededRandom('check', JSON.stringify(task))
  let { state, text } = guest.reset(task)
  const said = [text]
  for (let step = 0; step < MAX_STEPS && guest.outcome(state) === 'open'; step++) {
    ;({ state, text } = guest.step(state, trial.command(random)))
    said.push(text, JSON.stringify(state))
  }
  return said.join('\n')
}

function repeatedPlay(trial: Trial): CheckLine {
  const { tasks } = trial
  const first = tasks.map((task) => transcript(trial, task))
  const differing = [...tasks.keys()].reverse().filter((at) => transcript(trial, tasks[at]) !== first[at])
  return {
    name: 'repeatable',
    passed: differing.length === 0,
    detail:
      differing.length === 0
        ? `${tasks.length} episodes of random commands went the same way twice.`
        : `${differing.length} of ${tasks.length} episodes went another way the second time.`,
  }
}

function refusedNonsense({ guest, tasks }: Trial): CheckLine {
  for (const task of tasks.slice(0, 10)) {
    const { state } = guest.reset(task)
    for (const command of NONSENSE) {
      const outcome = guest.outcome(guest.step(state, command).state)
      if (outcome === 'won') {
        const detail = `The command ${JSON.stringify(command.slice(0, 20))} wins at once.`
        return { name: 'refusals', passed: false, detail }
      }
    }
  }
  return {
    name: 'refusals',
    passed: true,
    detail: `${NONSENSE.length} texts that are no commands neither throw nor win.`,
  }
}

function expertPlay(guest: OwnGuest, task: Data): ExpertPlay {
  let { state } = guest.reset(task)
  const commands: string[] = []
  const states = [state]
  while (guest.outcome(state) === 'open' && commands.length < MAX_STEPS) {
    const { command } = guest.expert(state)
    state = guest.step(state, command).state
    commands.push(command)
    states.push(state)
  }
  return { task, commands, states, won: guest.outcome(state) === 'won' }
}

function expertWins({ guest, plays }: Trial): CheckLine | null {
  if (!guest.parts.has('expert')) return null
  const lost = plays.filter(({ won }) => !won)
  const longest = Math.max(...plays.map(({ commands }) => commands.length))
  return {
    name: 'expert',
    passed: lost.length === 0,
    detail:
      lost.length === 0
        ? `The expert wins all ${plays.length} tasks, the longest in ${longest} commands.`
        : `The expert does not win ${lost.length} of ${plays.length} tasks within ${MAX_STEPS} commands, such as ${JSON.stringify(lost[0]!.task).slice(0, 120)}.`,
  }
}

function distanceFalls({ guest, plays }: Trial): CheckLine | null {
  if (!guest.parts.has('distance') || !guest.parts.has('expert')) return null
  for (const { states, commands, won } of plays) {
    const distances = states.map((state) => guest.distance(state))
    const rise = distances.findIndex((distance, at) => at > 0 && distance >= distances[at - 1]!)
    const detail =
      rise > 0
        ? `The expert's command "${commands[rise - 1]!}" changes the distance from ${distances[rise - 1]!} to ${distances[rise]!}; it should fall.`
        : won && distances.at(-1) !== 0
          ? `A won state has the distance ${distances.at(-1)!}; it should be 0.`
          : null
    if (detail !== null) return { name: 'distance', passed: false, detail }
  }
  return {
    name: 'distance',
    passed: true,
    detail: `The distance falls with every command of the expert, to 0 when it wins.`,
  }
}

function answersEverywhere(trial: Trial): CheckLine {
  let states = 0
  for (const split of SPLITS) {
    for (const { body } of sampleTasks(trial.guest, split, ASKED, 0)) {
      if (split === 'train') describeTask(trial.guest, body)
      states += askAlong(trial, body)
    }
  }
  return { name: 'parts', passed: true, detail: `Every part answers in ${states} states of episodes with mistakes.` }
}

/** Plays like a model that errs, and asks what a run, demonstrations and a replay ask on the way. Returns the number of states. */
function askAlong(trial: Trial, task: Data): number {
  const { guest } = trial
  const { parts } = guest
  const random = seededRandom('parts', JSON.stringify(task))
  let { state } = guest.reset(task)
  let distance = distanceOf(guest, state)
  if (parts.has('picture')) guest.picture(state)
  let step = 0
  while (step < MAX_STEPS && guest.outcome(state) === 'open') {
    const best = parts.has('expert') ? guest.expert(state).command : null
    const command = best !== null && chance(random, 0.5) ? best : trial.command(random)
    const [before, distanceBefore] = [state, distance]
    state = guest.step(before, command).state
    distance = distanceOf(guest, state)
    labelOf(guest, { before, command, after: state, distanceBefore, distanceAfter: distance })
    if (parts.has('reason')) for (const label of [1, -1] as const) guest.reason(before, command, state, label)
    if (parts.has('picture')) guest.picture(state)
    step++
    // The expert has tried in vain, and would for as long in every state that follows.
    if (distance === Infinity && !parts.has('distance')) break
  }
  return step + 1
}

async function validRewrites(trial: Trial): Promise<CheckLine | null> {
  const { guest } = trial
  if (!guest.parts.has('rewrite')) return null
  const environment = new OwnEnvironment(guest)
  const heldOut = new Set([...trial.drawn('id'), ...trial.drawn('ood')])
  const counts = { harder: 0, easier: 0, valid: 0 }
  for (const task of sampleTasks(guest, 'train', REWRITTEN, 0)) {
    for (const direction of ['harder', 'easier'] as const) {
      for (const text of guest.rewrites(task.body, direction)) {
        counts[direction]++
        const result = await environment.rewrite(task, text, 'new', MAX_STEPS)
        if (!result.ok) continue
        counts.valid++
        if (!heldOut.has(JSON.stringify(result.task!.body))) continue
        const detail = `The change "${text.slice(0, 80)}" turns the training task ${JSON.stringify(task.body).slice(0, 120)} into a held-out one.`
        return { name: 'rewrites', passed: false, detail }
      }
    }
    for (const text of NONSENSE) {
      if (!(await environment.rewrite(task, text, 'new', MAX_STEPS)).ok) continue
      const detail = `\`rewrite\` accepts ${JSON.stringify(text.slice(0, 20))}; it should return null for a text that is no change.`
      return { name: 'rewrites', passed: false, detail }
    }
  }
  const { harder, easier, valid } = counts
  return {
    name: 'rewrites',
    passed: valid > 0,
    detail: `Of ${harder} harder and ${easier} easier changes of ${REWRITTEN} tasks, ${valid} give another task that can be solved.`,
  }
}

function sizes({ guest, tasks }: Trial): CheckLine {
  const most = { text: 0, state: 0 }
  for (const task of tasks) {
    const { state, text } = guest.reset(task)
    most.text = Math.max(most.text, text.length)
    most.state = Math.max(most.state, JSON.stringify(state).length)
  }
  return {
    name: 'sizes',
    passed: true,
    detail: `The longest first text has ${most.text} characters (at most ${BOUNDS.text}), the largest first state ${most.state} (at most ${BOUNDS.answer}).`,
  }
}
