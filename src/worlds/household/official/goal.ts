/**
 * Recognises which of ALFWorld's six goals a PDDL goal is. Every goal says "there exist … such that all of these hold", so its
 * conditions identify it, regardless of variable names and nesting.
 */
import { taskTypes, type Goal, type TaskType } from '../engine/game.ts'
import { can, receptacleTypes } from '../engine/vocabulary.ts'
import { GameFileError } from './game-file-error.ts'
import { isObjectType } from './object-types.ts'
import { shortened } from './problem.ts'
import type { Expression } from './s-expression.ts'

/** Conditions of each goal: lower-case names are variables, OBJECT and TARGET the types in the goal. */
const CONDITIONS: Readonly<Record<TaskType, readonly string[]>> = {
  pick_and_place_simple: ['inreceptacle o r', 'objecttype o OBJECT', 'receptacletype r TARGET'],
  look_at_obj_in_light: [
    'objecttype t TARGET',
    'toggleable t',
    'istoggled t',
    'inreceptacle t r',
    'receptacleatlocation r l',
    'atlocation a l',
    'objecttype o OBJECT',
    'holds b o',
  ],
  pick_clean_then_place_in_recep: treated('cleanable', 'isclean'),
  pick_heat_then_place_in_recep: treated('heatable', 'ishot'),
  pick_cool_then_place_in_recep: treated('coolable', 'iscool'),
  pick_two_obj_and_place: [
    'different o p',
    'inreceptacle o r',
    'objecttype o OBJECT',
    'inreceptacle p r',
    'objecttype p OBJECT',
    'receptacletype r TARGET',
  ],
}

function treated(capability: string, condition: string): string[] {
  return ['inreceptacle o r', 'objecttype o OBJECT', 'receptacletype r TARGET', `${capability} o`, `${condition} o`]
}

/** A predicate and its arguments: names, or variables with "?". */
type Condition = readonly string[]

const DEEPEST = 32

/** Throws GameFileError. */
export function readGoal(expression: Expression): Goal {
  const all = conditionsOf(expression)
  const conditions = [...new Map(all.map((condition) => [condition.join(' '), condition])).values()]
  for (const taskType of taskTypes) {
    const found = match(CONDITIONS[taskType].map(words), conditions, new Map())
    if (found) {
      return checked({ taskType, object: typeName(found.get('OBJECT')!), target: typeName(found.get('TARGET')!) })
    }
  }
  if (conditions.some(([predicate]) => predicate === 'issliced')) {
    throw new GameFileError('It asks for a sliced object, a task that ALFWorld excludes.')
  }
  if (conditions.some(([predicate]) => predicate === 'inreceptacleobject')) {
    throw new GameFileError('It asks for an object in a movable receptacle, a task that ALFWorld excludes.')
  }
  throw new GameFileError("Its goal is none of ALFWorld's six.")
}

function checked(goal: Goal): Goal {
  const isLampTask = goal.taskType === 'look_at_obj_in_light'
  if (!isObjectType(goal.object))
    throw new GameFileError(`Its goal asks for a "${shortened(goal.object)}", an unknown type.`)
  if (isLampTask ? !can(goal.target, 'lamp') : !receptacleTypes.some((type) => type === goal.target)) {
    const kind = isLampTask ? 'no lamp' : 'an unknown type of receptacle'
    throw new GameFileError(`Its goal asks for a "${shortened(goal.target)}", ${kind}.`)
  }
  return goal
}

/** Flattens nested "and" and "exists" into conditions, and gives every variable a unique name. */
function conditionsOf(root: Expression): Condition[] {
  let variables = 0
  const conditions: Condition[] = []
  const visit = (expression: Expression, names: ReadonlyMap<string, string>, depth: number): void => {
    if (!Array.isArray(expression) || depth > DEEPEST) throw unreadable()
    const [head, ...rest] = expression
    if (head === 'and') {
      for (const part of rest) visit(part, names, depth + 1)
    } else if (head === 'exists') {
      const [declared, body] = rest
      if (!Array.isArray(declared) || body === undefined || rest.length !== 2) throw unreadable()
      const inner = new Map(names)
      for (const name of declared) {
        if (typeof name === 'string' && name.startsWith('?')) inner.set(name, `?${variables++}`)
      }
      visit(body, inner, depth + 1)
    } else {
      const isDifference = head === 'not' && Array.isArray(rest[0]) && rest[0][0] === '='
      const terms = isDifference ? ['different', ...(rest[0] as Expression[]).slice(1)] : expression
      conditions.push(
        terms.map((term) => {
          if (typeof term !== 'string') throw unreadable()
          return term.startsWith('?') ? (names.get(term) ?? term) : term
        }),
      )
    }
  }
  visit(root, new Map(), 0)
  return conditions
}

function unreadable(): GameFileError {
  return new GameFileError("Its goal is none of ALFWorld's six.")
}

/** The value of each name in the pattern if the conditions match it exactly; else null. */
function match(
  pattern: readonly Condition[],
  conditions: readonly Condition[],
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | null {
  const [first, ...rest] = pattern
  if (pattern.length !== conditions.length) return null
  if (first === undefined) return known
  for (const condition of conditions) {
    const extended = unify(first, condition, known)
    const others = conditions.filter((other) => other !== condition)
    const found = extended && match(rest, others, extended)
    if (found) return found
  }
  return null
}

function unify(
  [predicate, ...names]: Condition,
  [head, ...terms]: Condition,
  known: ReadonlyMap<string, string>,
): Map<string, string> | null {
  if (predicate !== head || names.length !== terms.length) return null
  const extended = new Map(known)
  for (const [position, name] of names.entries()) {
    const term = terms[position]!
    const isVariable = name === name.toLowerCase()
    if (isVariable !== term.startsWith('?')) return null
    const bound = extended.get(name)
    if (bound !== undefined && bound !== term) return null
    extended.set(name, term)
  }
  return extended
}

function words(text: string): string[] {
  return text.split(' ')
}

/** "mugtype" -> "mug" */
export function typeName(id: string): string {
  return id.endsWith('type') ? id.slice(0, -'type'.length) : id
}
