/**
 * A planning task: domain and problem, grounded as Fast Downward grounds them.
 *
 * Conditions become alternatives of conjunctions, with existential variables as further parameters. In a grounded operator,
 * additions override deletions of the same atom, and effects that the precondition already states are dropped, as are operators
 * without effects. (So the agent cannot go to where it is.)
 */
import { listOf, readExpression, readTyped, section, word, type Expression, type Typed } from './expressions.ts'
import { FactSet, solutions, substitute, type Atom, type Binding, type Domain, type Literal } from './facts.ts'

/** True if all literals are, for some values of the variables. */
interface Conjunction {
  variables: readonly Typed[]
  literals: readonly Literal[]
}

interface Effect {
  condition: readonly Conjunction[]
  literal: Literal
}

interface Action {
  name: string
  parameters: readonly Typed[]
  alternatives: readonly Conjunction[]
  effects: readonly Effect[]
}

export interface Operator {
  action: Action
  /** Values of the action's parameters. */
  args: readonly string[]
}

export class PlanningTask implements Domain {
  readonly actions: readonly Action[]
  /** What is true at the start. */
  readonly init: readonly Atom[]
  readonly typeOf: ReadonlyMap<string, string>
  /** [type] its supertypes and itself. */
  private readonly lineage = new Map<string, Set<string>>()
  private readonly members = new Map<string, Set<string>>()
  private readonly goal: readonly Conjunction[]

  constructor(domainText: string, problemText: string) {
    const domain = readExpression(domainText)
    const problem = readExpression(problemText)
    const parents = new Map(readTyped(section(domain, ':types')).map(({ name, type }) => [name, type]))
    for (const type of ['object', ...parents.keys()]) {
      const line = new Set([type])
      for (let up = parents.get(type); up !== undefined && !line.has(up); up = parents.get(up)) line.add(up)
      this.lineage.set(type, line.add('object'))
    }
    const things = [...readTyped(section(domain, ':constants')), ...readTyped(section(problem, ':objects'))]
    this.typeOf = new Map(things.map(({ name, type }) => [name, type]))
    for (const [name, type] of this.typeOf) {
      for (const above of this.lineage.get(type) ?? [type]) {
        const members = this.members.get(above) ?? new Set()
        this.members.set(above, members.add(name))
      }
    }
    this.actions = domain
      .filter((part): part is Expression[] => Array.isArray(part) && part[0] === ':action')
      .map(readAction)
    this.init = section(problem, ':init')
      .map(listOf)
      .filter(([head]) => head !== '=')
      .map((fact) => ({ predicate: word(fact[0]!), args: fact.slice(1).map(word) }))
    this.goal = alternativesOf(section(problem, ':goal')[0]!)
  }

  membersOf(type: string): ReadonlySet<string> {
    return this.members.get(type) ?? new Set()
  }

  isSubtype(type: string, of: string): boolean {
    return this.lineage.get(type)?.has(of) ?? type === of
  }

  isGoalMet(facts: FactSet): boolean {
    return this.isTrue(this.goal, facts)
  }

  /** What can be done, each once. */
  applicableOperators(facts: FactSet): Operator[] {
    const operators = new Map<string, Operator>()
    for (const action of this.actions) {
      for (const { variables, literals } of action.alternatives) {
        for (const binding of solutions(literals, [...action.parameters, ...variables], facts, this)) {
          const args = action.parameters.map(({ name }) => binding.get(name)!)
          const key = `${action.name} ${args.join(' ')}`
          if (!operators.has(key) && this.isOfEffect(action, literals, binding)) operators.set(key, { action, args })
        }
      }
    }
    return [...operators.values()]
  }

  private isOfEffect(action: Action, precondition: readonly Literal[], binding: Binding): boolean {
    const given = new Set(precondition.map((literal) => keyOf(substitute(literal, binding))))
    const effects = action.effects.map(({ condition, literal }) => ({
      condition,
      literal: substitute(literal, binding),
    }))
    const added = new Set(effects.filter(({ literal }) => !literal.isNegated).map(({ literal }) => keyOf(literal)))
    return effects.some(({ condition, literal }) => {
      if (!isAlways(condition)) return true
      if (literal.isNegated && added.has(keyOf({ ...literal, isNegated: false }))) return false
      return !given.has(keyOf(literal))
    })
  }

  /** The literals that become true. */
  effectsOf({ action, args }: Operator, facts: FactSet): Literal[] {
    const binding = new Map(action.parameters.map(({ name }, i) => [name, args[i]!]))
    const effects = action.effects
      .filter(({ condition }) => this.isTrue(condition, facts, binding))
      .map(({ literal }) => substitute(literal, binding))
    const added = new Set(effects.filter((literal) => !literal.isNegated).map(keyOf))
    return effects.filter((literal) => !literal.isNegated || !added.has(keyOf({ ...literal, isNegated: false })))
  }

  private isTrue(alternatives: readonly Conjunction[], facts: FactSet, binding?: Binding): boolean {
    return alternatives.some(({ variables, literals }) => {
      const bound = binding ? literals.map((literal) => substitute(literal, binding)) : literals
      return !solutions(bound, variables, facts, this).next().done
    })
  }
}

function keyOf({ predicate, args, isNegated }: Literal): string {
  return `${isNegated ? '!' : ''}${predicate} ${args.join(' ')}`
}

const isAlways = (condition: readonly Conjunction[]) => condition.some(({ literals }) => literals.length === 0)

function readAction(expression: Expression[]): Action {
  const part = (head: string) => listOf(expression[expression.indexOf(head) + 1])
  return {
    name: word(expression[1]!),
    parameters: readTyped(part(':parameters')),
    alternatives: alternativesOf(part(':precondition')),
    effects: effectsOf(part(':effect'), alternativesOf([])),
  }
}

let renamed = 0

/** A condition as a list of conjunctions of which one must be true. */
function alternativesOf(condition: Expression): Conjunction[] {
  const [head, ...rest] = listOf(condition)
  switch (head) {
    case undefined:
      return [{ variables: [], literals: [] }]
    case 'and':
      return rest.map(alternativesOf).reduce(
        (all, next) =>
          all.flatMap((a) =>
            next.map((b) => ({
              variables: [...a.variables, ...b.variables],
              literals: [...a.literals, ...b.literals],
            })),
          ),
        alternativesOf([]),
      )
    case 'or':
      return rest.flatMap(alternativesOf)
    case 'exists': {
      // Unique names, so that variables do not collide when they are moved out of their quantifiers.
      const variables = readTyped(listOf(rest[0])).map((variable) => ({
        ...variable,
        own: `${variable.name}'${renamed++}`,
      }))
      const names = new Map(variables.map(({ name, own }) => [name, own]))
      return alternativesOf(rest[1]!).map((inner) => ({
        variables: [...variables.map(({ own, type }) => ({ name: own, type })), ...inner.variables],
        literals: inner.literals.map((literal) => substitute(literal, names)),
      }))
    }
    case 'not':
      return [{ variables: [], literals: [{ ...readAtom(listOf(rest[0])), isNegated: true }] }]
    default:
      return [{ variables: [], literals: [{ ...readAtom(listOf(condition)), isNegated: false }] }]
  }
}

function effectsOf(effect: Expression, condition: readonly Conjunction[]): Effect[] {
  const [head, ...rest] = listOf(effect)
  switch (head) {
    case 'and':
      return rest.flatMap((part) => effectsOf(part, condition))
    case 'when':
      return effectsOf(rest[1]!, alternativesOf(rest[0]!))
    case 'increase':
      // Only costs increase, which are irrelevant to a player.
      return []
    case 'not':
      return [{ condition, literal: { ...readAtom(listOf(rest[0])), isNegated: true } }]
    default:
      return [{ condition, literal: { ...readAtom(listOf(effect)), isNegated: false } }]
  }
}

const unsupported = new Set(['forall', 'imply', 'and', 'or', 'exists', 'not', 'when', 'increase'])

function readAtom(expression: readonly Expression[]): Atom {
  const predicate = word(expression[0]!)
  if (unsupported.has(predicate)) throw new SyntaxError(`This model knows no "${predicate}" in that place.`)
  return { predicate, args: expression.slice(1).map(word) }
}
