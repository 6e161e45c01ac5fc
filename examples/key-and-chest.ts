/** A grid with walls, a key, and a chest that the key opens. docs/own-worlds.md explains it line by line. */
import type { OwnWorld } from '../src/worlds/own/own-world.ts'

type Place = [row: number, column: number]
type Task = { size: number; agent: Place; key: Place; chest: Place; walls: Place[] }
type State = Task & { hasKey: boolean; isOpen: boolean }

const WAYS = new Map<string, Place>([
  ['go north', [-1, 0]],
  ['go south', [1, 0]],
  ['go west', [0, -1]],
  ['go east', [0, 1]],
])
const COMMANDS = [...WAYS.keys(), 'take key', 'open chest']
const isSame = (a: Place, b: Place) => a[0] === b[0] && a[1] === b[1]
const named = ([row, column]: Place) => `${row} ${column}`
const isInside = ({ size }: Task, place: Place) => place.every((number) => number >= 1 && number <= size)
const begin = (task: Task): State => ({ ...task, hasKey: false, isOpen: false })

/** Where a step leads: nowhere at a wall or at the edge. */
function moved(task: Task, from: Place, [down, right]: Place): Place {
  const to: Place = [from[0] + down, from[1] + right]
  return isInside(task, to) && !task.walls.some((wall) => isSame(wall, to)) ? to : from
}

/** Steps from one place to another around the walls; Infinity if there is no way. */
function stepsBetween(task: Task, from: Place, to: Place): number {
  const seen = new Set([named(from)])
  for (let edge = [from], steps = 0; edge.length > 0; steps++) {
    if (edge.some((place) => isSame(place, to))) return steps
    edge = edge
      .flatMap((place) => [...WAYS.values()].map((way) => moved(task, place, way)))
      .filter((place) => !seen.has(named(place)) && seen.add(named(place)))
  }
  return Infinity
}

/** Commands that are left. */
function left(state: State): number {
  if (state.isOpen) return 0
  if (state.hasKey) return stepsBetween(state, state.agent, state.chest) + 1
  return stepsBetween(state, state.agent, state.key) + stepsBetween(state, state.key, state.chest) + 2
}

/** What the agent sees: where it is, and which way the key or the chest is. */
function view({ agent, key, chest, hasKey }: State): string {
  const [down, right] = [0, 1].map((axis) => (hasKey ? chest : key)[axis]! - agent[axis]!) as Place
  const ways = [down < 0 ? 'north' : down > 0 ? 'south' : '', right < 0 ? 'west' : right > 0 ? 'east' : '']
  return `You are at ${named(agent)}. The ${hasKey ? 'chest' : 'key'} is ${ways.join(' ').trim() || 'here'}.`
}

function step(state: State, command: string): { state: State; text: string } {
  const way = WAYS.get(command)
  const agent = way ? moved(state, state.agent, way) : state.agent
  if (!isSame(agent, state.agent)) return { state: { ...state, agent }, text: view({ ...state, agent }) }
  if (command === 'take key' && !state.hasKey && isSame(agent, state.key))
    return { state: { ...state, hasKey: true }, text: `You have the key. ${view({ ...state, hasKey: true })}` }
  if (command === 'open chest' && state.hasKey && isSame(agent, state.chest))
    return { state: { ...state, isOpen: true }, text: 'The chest is open.' }
  return { state, text: 'Nothing happens.' }
}

function rewrite(task: Task, text: string): Task | null {
  const [, no, row, column] = /^(no )?wall at (\d) (\d)$/.exec(text) ?? []
  const place: Place = [Number(row), Number(column)]
  const others = task.walls.filter((wall) => !isSame(wall, place))
  if (no) return others.length < task.walls.length ? { ...task, walls: others } : null
  const isTaken = [task.agent, task.key, task.chest, ...task.walls].some((taken) => isSame(taken, place))
  return isInside(task, place) && !isTaken ? { ...task, walls: [...task.walls, place] } : null
}

export default {
  name: 'Key and chest',
  rules: `You walk on a grid. Commands: ${COMMANDS.join(', ')}. Places are a row and a column; row 1 is in the north.`,
  task(split, random) {
    const size = split === 'ood' ? 5 : 4
    const places = Array.from({ length: size * size }, (_, at): Place => [1 + Math.floor(at / size), 1 + (at % size)])
    for (;;) {
      const [agent, key, chest, ...walls] = random.shuffle(places).slice(0, 3 + random.integer(0, 3))
      const task = { size, agent: agent!, key: key!, chest: chest!, walls }
      // A quarter of the pairs of key and chest are held out, so that no task of `train` is one of `id`.
      const isHeldOut = (key![0] + 2 * key![1] + 3 * chest![0] + chest![1]) % 4 === 0
      if (isHeldOut === (split === 'id') && left(begin(task)) < Infinity) return task
    }
  },
  reset(task) {
    const walls = task.walls.map((wall) => `Wall at ${named(wall)}. `).join('')
    return { state: begin(task), text: walls + view(begin(task)) }
  },
  step,
  outcome: (state) => (state.isOpen ? 'won' : 'open'),
  distance: (state) => (left(state) < Infinity ? left(state) : null),
  expert: (state) => COMMANDS.find((command) => left(step(state, command).state) < left(state))!,
  rewrites: (task, direction) =>
    direction === 'easier'
      ? task.walls.map((wall) => `no wall at ${named(wall)}`)
      : [1, 2, 3, 4, 5].map((row) => `wall at ${row} 2`).filter((text) => rewrite(task, text) !== null),
  rewrite,
} satisfies OwnWorld<Task, State>
