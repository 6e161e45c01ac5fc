/** Counts generated and official games in the form of `scene-counts.ts`, to compare them row by row. */
import { roomOf, rooms, type Room } from '../../../../src/worlds/household/corpus/statistics.ts'
import type { GameObject, HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import type { RoomCounts, SceneCounts } from '../../../../src/worlds/household/generator/full/scene-counts.ts'
import { can } from '../../../../src/worlds/household/engine/vocabulary.ts'

/** Types of which some instances can be opened and others not. */
const partlyOpenable: readonly string[] = ['cabinet', 'drawer', 'safe']

/**
 * The answers that one game gives, as [question, answer]:
 *
 * - task; goal TASK object, target, count: the goal, and the number of objects of its type
 * - visible: whether some such object can be seen without opening anything; phrasing
 * - size receptacles, objects, pickupable: their total numbers
 * - receptacles TYPE: their number, if any
 * - openable TYPE, for each receptacle; all-openable TYPE: whether all in the game are openable
 * - sharing: how many receptacles share a place; shared: for each such place, the types there
 * - objects TYPE: their number, if any and if it is not the goal's type
 * - start TYPE, for each object: the receptacle types that list it, or "nowhere"
 * - stray pickupable, fixed: whether an object in no receptacle is nevertheless at the place of one
 * - doubles: how many objects more than one receptacle lists
 * - insides: how many objects are inside another; inside TYPE: the type of an inner object; mutual: whether two pots or
 *   pans are each inside the other; inside-place: for other pairs, whether one receptacle lists both
 */
export function observationsOf(game: HouseholdGame): [question: string, answer: string][] {
  const { goal, receptacles, objects } = game
  const seen: [string, string][] = []
  const note = (question: string, answer: string | number | boolean) =>
    seen.push([question, typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : String(answer)])
  const wanted = objects.filter((object) => object.type === goal.object)
  note('task', goal.taskType)
  note(`goal ${goal.taskType} object`, goal.object)
  note(`goal ${goal.taskType} target`, goal.target)
  note(`goal ${goal.taskType} count`, wanted.length)
  note(
    'visible',
    wanted.some((object) => object.in.some((receptacle) => !receptacles[receptacle]!.isOpenable)),
  )
  note('phrasing', game.phrasing)
  note('size receptacles', receptacles.length)
  note('size objects', objects.length)
  note('size pickupable', objects.filter((object) => can(object.type, 'pickupable')).length)

  for (const [type, individuals] of groupedBy(receptacles, ({ type }) => type)) {
    note(`receptacles ${type}`, individuals.length)
    if (!partlyOpenable.includes(type)) continue
    for (const { isOpenable } of individuals) note(`openable ${type}`, isOpenable)
    note(
      `all-openable ${type}`,
      individuals.every(({ isOpenable }) => isOpenable),
    )
  }
  const shared = [...groupedBy(receptacles, ({ place }) => place).values()].filter(({ length }) => length > 1)
  note(
    'sharing',
    shared.reduce((sum, { length }) => sum + length, 0),
  )
  for (const group of shared) note('shared', patternOf(group.map(({ type }) => type)))

  for (const [type, individuals] of groupedBy(objects, ({ type }) => type)) {
    if (type !== goal.object) note(`objects ${type}`, individuals.length)
  }
  for (const object of objects) {
    note(`start ${object.type}`, patternOf(object.in.map((receptacle) => receptacles[receptacle]!.type)))
    if (object.in.length === 0) {
      note(`stray ${can(object.type, 'pickupable') ? 'pickupable' : 'fixed'}`, (object.place ?? -1) >= 0)
    }
  }
  note('doubles', objects.filter((object) => object.in.length > 1).length)
  const lying = objects.flatMap((inner) => (inner.inside ?? []).map((outer) => [inner, objects[outer]!] as const))
  note('insides', lying.length)
  for (const [inner, outer] of lying) {
    note(`inside ${outer.type}`, inner.type)
    const isMutual = outer.inside?.includes(objects.indexOf(inner)) ?? false
    if (isPotOrPan(inner) && isPotOrPan(outer)) note('mutual', isMutual)
    if (!isMutual)
      note(
        'inside-place',
        inner.in.some((receptacle) => outer.in.includes(receptacle)),
      )
  }
  return seen
}

/** The receptacle types that list an object or are at a place, as one word: "countertop+stoveburner". */
function patternOf(types: readonly string[]): string {
  return types.length === 0 ? 'nowhere' : [...types].sort().join('+')
}

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

function isPotOrPan({ type }: GameObject): boolean {
  return type === 'pot' || type === 'pan'
}

export function countScenes(games: Iterable<HouseholdGame>): SceneCounts {
  const counts = Object.fromEntries(rooms.map((room) => [room, new Map<string, Map<string, number>>()])) as Record<
    Room,
    Map<string, Map<string, number>>
  >
  for (const game of games) {
    const room = counts[roomOf(game.floorPlan)]
    for (const [question, answer] of observationsOf(game)) {
      let answers = room.get(question)
      if (!answers) room.set(question, (answers = new Map<string, number>()))
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  return counts
}

/** The rows that `parseRoomCounts` reads, as in `scene-statistics.json`; questions and answers are sorted. */
function formatRoomCounts(counts: RoomCounts): Map<string, string> {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => a.localeCompare(b, 'en', { numeric: true })
  return new Map(
    [...counts].sort(byName).map(([question, answers]) => [
      question,
      [...answers]
        .sort(byName)
        .map(([answer, count]) => `${answer}:${count}`)
        .join(' '),
    ]),
  )
}

/** Describes the rows in which two counts differ; empty if they are equal. */
export function differencesOf(ours: SceneCounts, theirs: SceneCounts): string[] {
  return rooms.flatMap((room) => {
    const a = formatRoomCounts(ours[room])
    const b = formatRoomCounts(theirs[room])
    return [...new Set([...a.keys(), ...b.keys()])].flatMap((question) =>
      a.get(question) === b.get(question)
        ? []
        : [`${room}, ${question}: ${a.get(question) ?? 'nothing'} for ${b.get(question) ?? 'nothing'}`],
    )
  })
}
