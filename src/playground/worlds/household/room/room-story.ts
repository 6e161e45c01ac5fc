/**
 * What an agent knows of a room, read from the text of an episode alone: the furniture from its opening, the agent's place and
 * the contents of furniture from its commands' observations. Works for every game of the household, generated or imported,
 * since all of them answer in ALFWorld's words (worlds/household/engine/observations.ts).
 */
export interface KnownFurniture {
  /** "countertop 2" */
  name: string
  /** Null until the agent has seen it open or closed, and for furniture without a door. */
  isOpen: boolean | null
  /** Names of what is in or on it, as far as the agent has seen; null before it has looked. */
  contents: readonly string[] | null
}

export interface RoomMoment {
  furniture: readonly KnownFurniture[]
  /** Where the agent is; null in the middle of the room. */
  place: string | null
  held: string | null
  /** Words of conditions by object: "cool". */
  conditions: ReadonlyMap<string, readonly string[]>
}

interface ToldStep {
  command: string
  observation: string
}

const NAME = /[a-z]+ \d+/
const named = (pattern: string): RegExp => new RegExp(pattern.replaceAll('NAME', `(${NAME.source})`))

const OPENING = /Looking quickly around you, you see ([^\n]*)\./
const GO = named('^go to NAME')
const LISTING = named('(?:On|In) the NAME, you see ([^.]*)\\.')
const OPEN = named('The NAME is open\\. In it, you see ([^.]*)\\.')
const CLOSED = named('The NAME is closed\\.')
const CLOSE = named('^You close the NAME\\.')
const TAKE = named('^You pick up the NAME from the NAME\\.')
const PUT = named('^You (?:move|put) the NAME (?:to|in/on) the NAME\\.')
const TREAT = named('^You (heat|cool|clean) the NAME using the NAME\\.')

const TREATED: Readonly<Record<string, { gains: string; loses: string | null }>> = {
  heat: { gains: 'hot', loses: 'cool' },
  cool: { gains: 'cool', loses: 'hot' },
  clean: { gains: 'clean', loses: null },
}

/** moments[k]: after k commands; one more than there are steps. */
export function roomStory(opening: string, steps: readonly ToldStep[]): RoomMoment[] {
  const furniture = namesIn(OPENING.exec(opening)?.[1] ?? '').map((name): KnownFurniture => ({
    name,
    isOpen: null,
    contents: null,
  }))
  const moments: RoomMoment[] = [{ furniture, place: null, held: null, conditions: new Map() }]
  for (const step of steps) moments.push(after(moments.at(-1)!, step))
  return moments
}

function after(before: RoomMoment, { command, observation }: ToldStep): RoomMoment {
  const text = observation.trim()
  const put = PUT.exec(text)
  const take = TAKE.exec(text)
  const treat = TREAT.exec(text)
  // The first version of the text game names the place by a number, so the command says where the agent went.
  const place = text.startsWith('You arrive at') ? (GO.exec(command)?.[1] ?? before.place) : before.place
  const changes = new Map<string, Partial<KnownFurniture>>()
  const open = OPEN.exec(text)
  const closed = CLOSED.exec(text) ?? CLOSE.exec(text)
  const listing = LISTING.exec(text)
  if (open) changes.set(open[1]!, { isOpen: true, contents: namesIn(open[2]!) })
  else if (closed) changes.set(closed[1]!, { isOpen: false })
  else if (listing) changes.set(listing[1]!, { contents: namesIn(listing[2]!) })
  const contentsOf = (name: string) => before.furniture.find((each) => each.name === name)?.contents ?? []
  if (take) changes.set(take[2]!, { contents: contentsOf(take[2]!).filter((name) => name !== take[1]) })
  if (put) changes.set(put[2]!, { contents: [...contentsOf(put[2]!), put[1]!] })
  return {
    furniture: before.furniture.map((each) => ({ ...each, ...changes.get(each.name) })),
    place,
    held: take ? take[1]! : put ? null : before.held,
    conditions: treat ? treated(before.conditions, treat[1]!, treat[2]!) : before.conditions,
  }
}

function treated(conditions: RoomMoment['conditions'], verb: string, object: string): RoomMoment['conditions'] {
  const { gains, loses } = TREATED[verb]!
  const kept = (conditions.get(object) ?? []).filter((word) => word !== loses && word !== gains)
  return new Map(conditions).set(object, [...kept, gains])
}

/** "a bread 1, a mug 1, and a papertowelroll 1" as names; none of "nothing". */
function namesIn(listing: string): string[] {
  return [...listing.matchAll(new RegExp(NAME, 'g'))].map(([name]) => name)
}

/** The agent's place and load in one sentence. */
export function roomSentence({ place, held, conditions }: RoomMoment): string {
  const load = held === null ? 'nothing' : `the ${[...(conditions.get(held) ?? []), held].join(' ')}`
  return `The agent is ${place === null ? 'in the middle of the room' : `at ${place}`} and holds ${load}.`
}
