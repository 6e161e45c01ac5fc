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

export class FactSet {
  private readonly byPredicate = new Map<string, Map<string, readonly string[]>>()

  add({ predicate, args }: Atom): void {
    let facts = this.byPredicate.get(predicate)
    if (!facts) this.byPredicate.set(predicate, (facts = new Map<string, readonly string[]>()))
    facts.set(args.join(' '), args)
  }

  delete({ predicate, args }: Atom): void {
    this.byPredicate.get(predicate)?.delete(args.join(' '))
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

  *[Symbol.iterator](): Iterator<Atom> {
    for (const [predicate, facts] of this.byPredicate) for (const args of facts.values()) yield { predicate, args }
  }
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
    const tests = left.filter((literal) => !literal.args.some(isOpen))
    if (!tests.every((literal) => holds(substitute(literal, binding), facts))) return
    const open = left.filter((literal) => literal.args.some(isOpen))
    // Continues with the fewest candidates: facts of a positive literal with the fewest unknowns, or else a type.
    const generators = open.filter((literal) => !literal.isNegated && literal.predicate !== '=')
    const cost = (literal: Literal) => literal.args.filter(isOpen).length * 1e6 + facts.count(literal.predicate)
    const next = generators.sort((a, b) => cost(a) - cost(b))[0]
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
    const rest = open.filter((literal) => literal !== next)
    for (const args of facts.of(next.predicate)) {
      const extended = new Map(binding)
      const matches = next.args.every((arg, i) => {
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
