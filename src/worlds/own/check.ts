/** The test kit: checks a world by playing it. Every check is one line, which says what was tried and what to correct. */
import { pick, seededRandom } from '../random.ts'
import type { Split } from '../../method/ports.ts'
import { OwnEnvironment } from './environment.ts'
import { OwnWorldError } from './error.ts'
import { BOUNDS, type Data, type OwnGuest } from './guest.ts'
import { sampleTasks } from './tasks.ts'

export interface CheckLine {
  name: string
  passed: boolean
  /** One sentence. */
  detail: string
}

const SPLITS: readonly Split[] = ['train', 'id', 'ood']
/** Tasks of each split that are drawn, and those that are played. */
const DRAWN = 300
const PLAYED = 40
/** Fewer different tasks teach or measure little. */
const FEWEST: Readonly<Record<Split, number>> = { train: 10, id: 2, ood: 2 }
const MAX_STEPS = 20
/** What models may say that is no command. */
const NONSENSE = ['', ' ', 'xyzzy', 'go', '{"a":1}', '__proto__', '🙂', 'a'.repeat(2000), 'look\nlook']

type Check = (guest: OwnGuest) => CheckLine | null | Promise<CheckLine | null>

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
    ['rewrites', validRewrites],
    ['sizes', sizes],
  ]
  for (const [name, check] of checks) {
    try {
      const line = await check(guest)
      if (line) yield line
    } catch (error) {
      if (!(error instanceof OwnWorldError)) throw error
      yield { name, passed: false, detail: error.message }
    }
  }
}

const drawn = (guest: OwnGuest, split: Split, count = DRAWN): string[] =>
  Array.from({ length: count }, (_, seed) => JSON.stringify(guest.task(split, seed)))

const playedTasks = (guest: OwnGuest): Data[] => drawn(guest, 'train', PLAYED).map((json) => JSON.parse(json) as Data)

function differentTasks(guest: OwnGuest): CheckLine {
  const counts = SPLITS.map((split) => ({ split, count: new Set(drawn(guest, split)).size, least: FEWEST[split] }))
  const short = counts.filter(({ count, least }) => count < least)
  const found = `Of ${DRAWN} tasks of each split, ${counts.map(({ split, count }) => `${count} of ${split}`).join(', ')} differ.`
  const demand =
    ` Needed are ${short.map(({ split, least }) => `${least} of ${split}`).join(', ')}. Either there are too few, or \`task\` does not ` +
    'draw them from `random`: Math.random gives the same numbers in every call.'
  return { name: 'tasks', passed: short.length === 0, detail: short.length === 0 ? found : found + demand }
}

function heldOutTasks(guest: OwnGuest): CheckLine {
  const training = new Set(drawn(guest, 'train'))
  const shared = [...new Set([...drawn(guest, 'id'), ...drawn(guest, 'ood')])].filter((task) => training.has(task))
  return {
    name: 'splits',
    passed: shared.length === 0,
    detail:
      shared.length === 0
        ? 'No held-out task was drawn for training.'
        : `${shared.length} held-out tasks are also drawn for training, such as ${shared[0]!.slice(0, 120)}.`,
  }
}

function openStarts(guest: OwnGuest): CheckLine {
  const over = playedTasks(guest).find((task) => guest.outcome(guest.reset(task).state) !== 'open')
  return {
    name: 'start',
    passed: over === undefined,
    detail:
      over === undefined
        ? `All ${PLAYED} episodes begin open.`
        : `An episode is over before it begins: ${JSON.stringify(over).slice(0, 120)}.`,
  }
}

/** A transcript of commands that the world was given at random. */
function transcript(guest: OwnGuest, task: Data): string {
  const commands = ['yes', ...(guest.parts.has('expert') ? expertPlay(guest, task).commands : []), ...NONSENSE]
  const random = seededRandom('check', JSON.stringify(task))
  let { state, text } = guest.reset(task)
  const said = [text]
  for (let step = 0; step < MAX_STEPS && guest.outcome(state) === 'open'; step++) {
    ;({ state, text } = guest.step(state, pick(random, commands)))
    said.push(text, JSON.stringify(state))
  }
  return said.join('\n')
}

function repeatedPlay(guest: OwnGuest): CheckLine {
  const tasks = playedTasks(guest)
  const first = tasks.map((task) => transcript(guest, task))
  const differing = [...tasks.keys()].reverse().filter((at) => transcript(guest, tasks[at]) !== first[at])
  return {
    name: 'repeatable',
    passed: differing.length === 0,
    detail:
      differing.length === 0
        ? `${PLAYED} episodes of random commands went the same way twice.`
        : `${differing.length} of ${PLAYED} episodes went another way the second time.`,
  }
}

function refusedNonsense(guest: OwnGuest): CheckLine {
  for (const task of playedTasks(guest).slice(0, 10)) {
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

function expertPlay(guest: OwnGuest, task: Data): { commands: string[]; states: Data[]; won: boolean } {
  let { state } = guest.reset(task)
  const commands: string[] = []
  const states = [state]
  while (guest.outcome(state) === 'open' && commands.length < MAX_STEPS) {
    const { command } = guest.expert(state)
    state = guest.step(state, command).state
    commands.push(command)
    states.push(state)
  }
  return { commands, states, won: guest.outcome(state) === 'won' }
}

function expertWins(guest: OwnGuest): CheckLine | null {
  if (!guest.parts.has('expert')) return null
  const plays = playedTasks(guest).map((task) => ({ task, ...expertPlay(guest, task) }))
  const lost = plays.filter(({ won }) => !won)
  const longest = Math.max(...plays.map(({ commands }) => commands.length))
  return {
    name: 'expert',
    passed: lost.length === 0,
    detail:
      lost.length === 0
        ? `The expert wins all ${PLAYED} tasks, the longest in ${longest} commands.`
        : `The expert does not win ${lost.length} of ${PLAYED} tasks within ${MAX_STEPS} commands, such as ${JSON.stringify(lost[0]!.task).slice(0, 120)}.`,
  }
}

function distanceFalls(guest: OwnGuest): CheckLine | null {
  if (!guest.parts.has('distance') || !guest.parts.has('expert')) return null
  for (const task of playedTasks(guest)) {
    const { states, commands, won } = expertPlay(guest, task)
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

async function validRewrites(guest: OwnGuest): Promise<CheckLine | null> {
  if (!guest.parts.has('rewrite')) return null
  const environment = new OwnEnvironment(guest)
  const counts = { harder: 0, easier: 0, valid: 0 }
  for (const task of sampleTasks(guest, 'train', PLAYED, 0)) {
    for (const direction of ['harder', 'easier'] as const) {
      for (const text of guest.rewrites(task.body, direction)) {
        counts[direction]++
        if ((await environment.rewrite(task, text, 'new', MAX_STEPS)).ok) counts.valid++
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
    detail: `Of ${harder} harder and ${easier} easier changes of ${PLAYED} tasks, ${valid} give another task that can be solved.`,
  }
}

function sizes(guest: OwnGuest): CheckLine {
  const most = { text: 0, state: 0 }
  for (const task of playedTasks(guest)) {
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
