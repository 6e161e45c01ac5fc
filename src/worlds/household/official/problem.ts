/**
 * An ALFWorld game in PDDL: its objects, the facts at the start and the goal, checked against the predicates of the domain
 * "alfred".
 */
import { GameFileError } from './game-file-error.ts'
import { readExpressions, type Expression } from './s-expression.ts'

/** Predicates that commands, sentences or goals of the game use, with the types of their arguments. */
const PREDICATES = {
  atlocation: ['agent', 'location'],
  cancontain: ['rtype', 'otype'],
  cleanable: ['object'],
  coolable: ['object'],
  heatable: ['object'],
  inreceptacle: ['object', 'receptacle'],
  inreceptacleobject: ['object', 'object'],
  iscool: ['object'],
  isreceptacleobject: ['object'],
  objectatlocation: ['object', 'location'],
  objecttype: ['object', 'otype'],
  openable: ['receptacle'],
  opened: ['receptacle'],
  pickupable: ['object'],
  receptacleatlocation: ['receptacle', 'location'],
  receptacletype: ['receptacle', 'rtype'],
  sliceable: ['object'],
  toggleable: ['object'],
} as const satisfies Record<string, readonly string[]>

export type Predicate = keyof typeof PREDICATES

/** Predicates that the domain declares but nothing uses. */
const UNREAD: ReadonlySet<string> = new Set([
  '=',
  'checked',
  'examined',
  'full',
  'holdsanyreceptacleobject',
  'isreceptacleobjectfull',
  'ison',
  'moveable',
  'wasinreceptacle',
])

/** Predicates that hold at the start of no ALFWorld game, with words for an error message. */
const NEVER_AT_START: Readonly<Record<string, string>> = {
  holds: 'something in the hand',
  holdsany: 'something in the hand',
  isclean: 'something clean',
  ishot: 'something hot',
  issliced: 'something sliced',
  istoggled: 'a lamp that is on',
}

export interface Problem {
  name: string
  /** [id] "object", "receptacle", "location"... */
  types: ReadonlyMap<string, string>
  /** The facts at the start, each once. */
  facts: { readonly [P in Predicate]: readonly (readonly string[])[] }
  /** The ids in the facts, sorted. */
  ids: readonly string[]
  goal: Expression
}

/** Throws GameFileError. */
export function readProblem(text: string): Problem {
  const definition = readExpressions(text).find((expression) => Array.isArray(expression) && expression[0] === 'define')
  if (!Array.isArray(definition)) throw new GameFileError('Its "pddl_problem" is not PDDL: it defines nothing.')
  const section = (name: string): Expression[] => {
    const found = definition.find((part) => Array.isArray(part) && part[0] === name)
    if (!Array.isArray(found)) throw new GameFileError(`Its PDDL has no section "${name}".`)
    return found.slice(1)
  }
  const domain = word(section(':domain')[0])
  if (domain !== 'alfred') throw new GameFileError(`Its PDDL is of the domain "${domain}", not of ALFWorld's "alfred".`)
  const types = readTypes(section(':objects'))
  const { facts, ids } = readFacts(section(':init'), types)
  const goal = section(':goal')[0]
  if (goal === undefined) throw new GameFileError('Its goal is empty.')
  return { name: word(section('problem')[0]), types, facts, ids, goal }
}

/** "mug_1 mug_2 - object desk_1 - receptacle" */
function readTypes(list: readonly Expression[]): Map<string, string> {
  const types = new Map<string, string>()
  let untyped: string[] = []
  for (let at = 0; at < list.length; at++) {
    const item = word(list[at])
    if (item !== '-') {
      untyped.push(item)
      continue
    }
    const type = word(list[++at])
    for (const id of untyped) types.set(id, type)
    untyped = []
  }
  return types
}

function readFacts(list: readonly Expression[], types: ReadonlyMap<string, string>): Pick<Problem, 'facts' | 'ids'> {
  const facts = Object.fromEntries(Object.keys(PREDICATES).map((name) => [name, [] as string[][]])) as Record<
    Predicate,
    string[][]
  >
  const known = new Set<string>()
  const ids = new Set<string>()
  for (const expression of list) {
    const [name, ...about] = Array.isArray(expression) ? expression : []
    const predicate = word(name)
    if (UNREAD.has(predicate)) {
      for (const id of about) if (typeof id === 'string' && types.has(id)) ids.add(id)
      continue
    }
    if (Object.hasOwn(NEVER_AT_START, predicate)) {
      throw new GameFileError(`It starts with ${NEVER_AT_START[predicate]}, which no game of ALFWorld does.`)
    }
    if (!Object.hasOwn(PREDICATES, predicate)) {
      throw new GameFileError(`It has a fact "${shortened(predicate)}", which ALFWorld does not know.`)
    }
    const expected: readonly string[] = PREDICATES[predicate as Predicate]
    const fact = about.map(word)
    if (fact.length !== expected.length) {
      throw new GameFileError(`A fact "${predicate}" has ${fact.length} arguments instead of ${expected.length}.`)
    }
    fact.forEach((id, position) => {
      const type = types.get(id)
      if (type === undefined)
        throw new GameFileError(`A fact names "${shortened(id)}", which is not among its objects.`)
      if (type !== expected[position]) {
        throw new GameFileError(
          `A fact "${predicate}" names the ${type} "${shortened(id)}" instead of an object of type ${expected[position]}.`,
        )
      }
      ids.add(id)
    })
    const key = `${predicate} ${fact.join(' ')}`
    if (!known.has(key)) facts[predicate as Predicate].push(fact)
    known.add(key)
  }
  return { facts, ids: [...ids].sort() }
}

function word(expression: Expression | undefined): string {
  if (typeof expression === 'string') return expression
  throw new GameFileError('Its PDDL has a list or nothing instead of a name.')
}

/** Shortens a name for an error message: damaged files have names of any length. */
export function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
