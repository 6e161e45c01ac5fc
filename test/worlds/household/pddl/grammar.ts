/**
 * Expands the text grammar of TextWorld's PDDL games: productions with conditions on the facts, from left to right.
 *
 *     #rule#                 the first production of that name whose condition holds
 *     {o.name}               an expression about the things bound so far
 *     {o.name | fact & …}    one for every way to make the facts true
 *     [{…}]                  the same as a list, with the separators that the grammar defines
 */
import { readTyped, type Typed } from './expressions.ts'
import type { FactSet } from './facts.ts'

export interface Entity {
  id: string
  name: string
  indefinite: string
}

/** The state of a derivation: the facts, and the objects bound to variables ("r:receptacle"). */
export interface Scene {
  facts: FactSet
  /** Facts that an effect made false. */
  denials: FactSet
  entityOf(id: string): Entity
  isOfType(id: string, type: string): boolean
}

/** [name:type] id of the thing bound to a variable. */
export type Mapping = ReadonlyMap<string, string>

export type TextSymbol =
  | { kind: 'text'; text: string }
  | { kind: 'rule'; name: string }
  | { kind: 'value'; expression: string }
  | { kind: 'each'; inner: TextSymbol; given: string | null }
  | { kind: 'list'; each: TextSymbol }

interface Production {
  condition: string
  symbols: readonly TextSymbol[]
}

export interface ActionText {
  /** How the command is written. */
  template: string
  feedback: string
}

export class Grammar {
  /** [action] in lower case. */
  readonly actions = new Map<string, ActionText>()
  private readonly rules = new Map<string, Production[]>()
  private readonly parsed = new Map<string, readonly TextSymbol[]>()

  constructor(document: string) {
    for (const { name, body } of blocks(document)) {
      const quoted = (key: string, quote: string) =>
        new RegExp(`\\b${key} :: ${quote}([\\s\\S]*?)${quote};`).exec(body)?.[1]
      if (name !== null) {
        const template = quoted('template', '"')
        const feedback = quoted('feedback', '"')
        if (template === undefined || feedback === undefined) throw new SyntaxError(`Action ${name} has no text.`)
        this.actions.set(name.toLowerCase(), { template, feedback })
      }
      this.add(quoted('grammar', '"""'))
    }
  }

  private add(json: string | undefined): void {
    if (json === undefined) return
    const rules = JSON.parse(json) as Record<string, { condition?: string; rhs: string }[]>
    for (const [name, productions] of Object.entries(rules)) {
      this.rules.set(
        name,
        productions.map(({ condition = '', rhs }) => ({ condition, symbols: parseSymbols(rhs) })),
      )
    }
  }

  derive(text: string, scene: Scene, mapping: Mapping): string {
    let symbols = this.parsed.get(text)
    if (!symbols) this.parsed.set(text, (symbols = parseSymbols(text)))
    return this.expand(symbols, scene, mapping)
  }

  private expand(symbols: readonly TextSymbol[], scene: Scene, mapping: Mapping): string {
    return symbols.map((symbol) => this.parts(symbol, scene, mapping).join('')).join('')
  }

  /** The texts of a symbol; several only if it expands to one for each way to make the facts true. */
  private parts(symbol: TextSymbol, scene: Scene, mapping: Mapping): string[] {
    switch (symbol.kind) {
      case 'text':
        return [symbol.text]
      case 'value':
        return [evaluate(symbol.expression, scene, mapping)]
      case 'rule': {
        const production = this.rules
          .get(symbol.name)
          ?.find(({ condition }) => condition === '' || assignments(condition, scene, mapping).length > 0)
        if (!production) throw new Error(`The grammar has nothing to say for #${symbol.name}#.`)
        return [this.expand(production.symbols, scene, mapping)]
      }
      case 'each': {
        const mappings = symbol.given === null ? [mapping] : assignments(symbol.given, scene, mapping)
        return mappings.map((each) => this.expand([symbol.inner], scene, each))
      }
      case 'list': {
        const items = this.parts(symbol.each, scene, mapping)
        const say = (name: string) => this.expand([{ kind: 'rule', name }], scene, mapping)
        if (items.length === 0) return [say('list_empty')]
        if (items.length === 1) return items
        return [items.slice(0, -1).join(say('list_separator')) + say('list_last_separator') + items.at(-1)!]
      }
    }
  }
}

/** "action Name { … }" and loose "grammar :: …" blocks, in the order of the document. */
function blocks(document: string): { name: string | null; body: string }[] {
  const result: { name: string | null; body: string }[] = []
  const pattern = /\s*(?:action (\w+) (\{(?:"""[\s\S]*?"""|"[^"]*"|[^}"])*\})|(grammar :: """[\s\S]*?""";)|$)/y
  while (pattern.lastIndex < document.length) {
    const match = pattern.exec(document)
    if (!match) throw new SyntaxError('The grammar has a part that is neither an action nor a grammar.')
    if (match[1] !== undefined) result.push({ name: match[1], body: match[2]! })
    else if (match[3] !== undefined) result.push({ name: null, body: match[3] })
    else break
  }
  return result
}

/**
 * Splits a right-hand side. Before each symbol the original's parser skips tabs, and whitespace at the beginning of a
 * line (it takes that for an empty comment), which is how the help text loses its first line break.
 */
export function parseSymbols(text: string): TextSymbol[] {
  const symbols: TextSymbol[] = []
  let at = 0
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (!found) return null
    at = pattern.lastIndex
    return found[1] ?? found[0]
  }
  const skip = () => {
    for (let before = -1; before !== at;) {
      before = at
      match(/^(?:\/\/.*|\s*)\n?/my)
      match(/\t+/y)
    }
  }
  const expect = (pattern: RegExp, what: string): string => {
    const found = match(pattern)
    if (found === null) throw new SyntaxError(`Expected ${what} at ${at} of "${text}".`)
    return found
  }
  const each = (): TextSymbol => {
    expect(/\{/y, '{')
    const rule = match(/#([\w()/!<>\-\s,.]+)#/y)
    const inner: TextSymbol =
      rule !== null
        ? { kind: 'rule', name: rule }
        : { kind: 'value', expression: expect(/[^|[\]{}\n<>]+/y, 'an expression') }
    const given = match(/\s*\|\s*([^;|{}\n[\]#]+)/y)
    expect(/\}/y, '}')
    return { kind: 'each', inner, given }
  }
  for (;;) {
    const before = at
    skip()
    const next = text[at]
    if (next === '[') {
      at++
      symbols.push({ kind: 'list', each: each() })
      expect(/\]/y, ']')
    } else if (next === '{') symbols.push(each())
    else if (next === '#') symbols.push({ kind: 'rule', name: expect(/#([\w()/!<>\-\s,.]+)#/y, 'a rule') })
    else symbols.push({ kind: 'text', text: match(/[^;|"<>[\]#{}]*/y)!.replaceAll('\\n', '\n') })
    // An unreadable part ends the text; the original drops it silently.
    if (at === before) return symbols
  }
}

interface Query {
  predicate: string
  parameters: readonly Typed[]
}

const queries = new Map<string, readonly Query[]>()

/** "openable(r:receptacle) & opened(r:receptacle)" */
function parseQuery(text: string): readonly Query[] {
  let query = queries.get(text)
  if (!query) {
    query = text.split('&').map((part) => {
      const match = /^\s*(\w+)\(([^)]*)\)\s*$/.exec(part)
      if (!match) throw new SyntaxError(`"${part}" is not a fact.`)
      return {
        predicate: match[1]!,
        parameters: match[2]!.split(',').flatMap((p) =>
          readTyped(
            p
              .trim()
              .split(/\s*(:)\s*/)
              .map((w) => (w === ':' ? '-' : w)),
          ),
        ),
      }
    })
    queries.set(text, query)
  }
  return query
}

/** All ways to make the facts true, in order of the facts; different variables stand for different things. */
export function assignments(text: string, scene: Scene, mapping: Mapping): Mapping[] {
  let found: Mapping[] = [mapping]
  for (const { predicate, parameters } of parseQuery(text)) {
    const isDenial = predicate.startsWith('not_')
    const facts = [...(isDenial ? scene.denials.of(predicate.slice('not_'.length)) : scene.facts.of(predicate))]
    const keys = parameters.map(({ name, type }) => `${name}:${type}`)
    found = found.flatMap((known) =>
      facts
        .filter((args) => args.every((arg, i) => (known.get(keys[i]!) ?? arg) === arg))
        .filter((args) => args.every((arg, i) => scene.isOfType(arg, parameters[i]!.type)))
        .sort(compareLists)
        .flatMap((args) => {
          const extended = new Map(known)
          const taken = new Set(known.values())
          const matches = args.every((arg, i) => {
            const value = extended.get(keys[i]!)
            if (value !== undefined) return value === arg
            if (taken.has(arg)) return false
            extended.set(keys[i]!, arg)
            taken.add(arg)
            return true
          })
          return matches ? [extended] : []
        }),
    )
  }
  return found
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1
  return 0
}

/** The little Python that grammars use: attributes, quoted text, "+" and "or". */
function evaluate(expression: string, scene: Scene, mapping: Mapping): string {
  const value = (text: string): string => {
    const quoted = /^'([^']*)'$/.exec(text)
    if (quoted) return quoted[1]!
    const [, variable, attribute] = /^(\w+)\.(id|name|indefinite)$/.exec(text) ?? []
    if (variable === undefined) throw new SyntaxError(`"${text}" is not an expression of this model.`)
    // Later variables of the same name hide earlier ones.
    const ids = [...mapping].filter(([key]) => key.split(':', 1)[0] === variable)
    if (ids.length === 0) throw new Error(`Nothing is known about "${variable}".`)
    return scene.entityOf(ids.at(-1)![1])[attribute as keyof Entity]
  }
  const sum = (text: string) =>
    text
      .split(/\s+\+\s+/)
      .map((part) => value(part.trim()))
      .join('')
  return (
    expression
      .trim()
      .split(/\s+or\s+/)
      .map(sum)
      .find((text) => text !== '') ?? ''
  )
}
