/** Sets of facts by predicate, and the bindings that make a conjunction true. */
import type { Typed } from './expressions.ts'

/** A predicate with its arguments: names of things, or of variables ("?r"). */
export interface Atom {
  predicate: string
  args: readonly string[]
}

export interface Literal extends Atom {
  isNegated: boolean
}

/** Argument lists by their words, in the order in which they were added. */
type Facts = Map<string, readonly string[]>

export class FactSet {
  private readonly byPredicate = new Map<string, Facts>()
  /** [predicate, place, name], with spaces between them: the facts with that name in that place. */
  private readonly byArgument = new Map<string, Facts>()

  add({ predicate, args }: Atom): void {
    const key = args.join(' ')
    put(this.byPredicate, predicate, key, args)
    args.forEach((arg, place) => put(this.byArgument, `${predicate} ${place} ${arg}`, key, args))
  }

  delete({ predicate, args }: Atom): void {
    const key = args.join(' ')
    this.byPredicate.get(predicate)?.delete(key)
    args.forEach((arg, place) => this.byArgument.get(`${predicate} ${place} ${arg}`)?.delete(key))
  }

  has({ predicate, args }: Atom): boolean {
    return this.byPredicate.get(predicate)?.has(args.join(' ')) ?? false
  }

  /** Argument lists of all facts of a predicate. */
  of(predicate: string): Iterable<readonly string[]> {
    return this.byPredicate.get(predicate)?.values() ?? []
  }

  count(predicate: string): number {
    return this.byPredicate.get(predicate)?.size ?? 0
  }

  /** Argument lists of the facts of a predicate with this name in this place. */
  with(predicate: string, place: number, name: string): Iterable<readonly string[]> {
    return this.byArgument.get(`${predicate} ${place} ${name}`)?.values() ?? []
  }

  *[Symbol.iterator](): Iterator<Atom> {
    for (const [predicate, facts] of this.byPredicate) for (const args of facts.values()) yield { predicate, args }
  }
}

function put(sets: Map<string, Facts>, name: string, key: string, args: readonly string[]): void {
  let facts = sets.get(name)
  if (!facts) sets.set(name, (facts = new Map()))
  facts.set(key, args)
}

/** Values of variables. */
export type Binding = ReadonlyMap<string, string>

export const isVariable = (name: string) => name.startsWith('?')

export function substitute<T extends Atom>(atom: T, binding: Binding): T {
  return { ...atom, args: atom.args.map((arg) => binding.get(arg) ?? arg) }
}

/** Things that variables range over. */
export interface Domain {
  /** Names of all things of a type and its subtypes. */
  membersOf(type: string): ReadonlySet<string>
}

/** All ways to make every literal true with things of the right types. */
export function* solutions(
  literals: readonly Literal[],
  variables: readonly Typed[],
  facts: FactSet,
  domain: Domain,
): Generator<Binding> {
  const types = new Map(variables.map(({ name, type }) => [name, type]))
  yield* solve(literals, new Map<string, string>())

  function* solve(left: readonly Literal[], binding: Binding): Generator<Binding> {
    const isOpen = (arg: string) => isVariable(arg) && !binding.has(arg)
    const open: Literal[] = []
    // Continues with the fewest candidates: facts of a positive literal with the fewest unknowns, or else a type.
    let next: Literal | null = null
    let least = Infinity
    for (const literal of left) {
      let unknowns = 0
      for (const arg of literal.args) if (isOpen(arg)) unknowns++
      if (unknowns === 0) {
        if (!holds(substitute(literal, binding), facts)) return
        continue
      }
      open.push(literal)
      if (literal.isNegated || literal.predicate === '=') continue
      const cost = unknowns * 1e6 + facts.count(literal.predicate)
      if (cost >= least) continue
      next = literal
      least = cost
    }
    if (!next) {
      const variable = variables.find(({ name }) => !binding.has(name))
      if (!variable) {
        yield binding
        return
      }
      for (const value of domain.membersOf(variable.type)) {
        yield* solve(open, new Map([...binding, [variable.name, value]]))
      }
      return
    }
    const { predicate, args: wanted } = next
    const rest = open.filter((literal) => literal !== next)
    const known = wanted.findIndex((arg) => !isOpen(arg))
    const value = (arg: string) => (isVariable(arg) ? binding.get(arg)! : arg)
    for (const args of known < 0 ? facts.of(predicate) : facts.with(predicate, known, value(wanted[known]!))) {
      const extended = new Map(binding)
      const matches = wanted.every((arg, i) => {
        if (!isVariable(arg)) return arg === args[i]
        const value = extended.get(arg)
        if (value !== undefined) return value === args[i]
        extended.set(arg, args[i]!)
        return domain.membersOf(types.get(arg)!).has(args[i]!)
      })
      if (matches) yield* solve(rest, extended)
    }
  }
}

function holds(literal: Literal, facts: FactSet): boolean {
  const isTrue = literal.predicate === '=' ? literal.args[0] === literal.args[1] : facts.has(literal)
  return isTrue !== literal.isNegated
}
