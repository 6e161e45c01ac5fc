/** Reads PDDL text: nested lists of lower-cased words, comments dropped, and typed lists as Fast Downward splits them. */

export type Expression = string | Expression[]

export function readExpression(text: string): Expression[] {
  const words = text
    .split('\n')
    .map((line) => line.split(';', 1)[0]!)
    .join('\n')
    .replace(/[()]/g, ' $& ')
    .replace(/\?/g, ' ?')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  let at = 0
  const list = (): Expression[] => {
    const items: Expression[] = []
    for (;;) {
      const word = words[at++]
      if (word === undefined) throw new SyntaxError('The PDDL text ends inside a list.')
      if (word === ')') return items
      items.push(word === '(' ? list() : word)
    }
  }
  if (words[at++] !== '(') throw new SyntaxError('The PDDL text does not begin with a list.')
  const result = list()
  if (at < words.length) throw new SyntaxError(`The PDDL text continues after its end: "${words[at]}".`)
  return result
}

export interface Typed {
  name: string
  type: string
}

/**
 * "?r - receptacle" and the like. The type is the word after the dash. If a comma follows it, as once in ALFWorld's
 * domain, it is a different type without members.
 */
export function readTyped(list: readonly Expression[]): Typed[] {
  const words = list.map(word)
  const result: Typed[] = []
  while (words.length > 0) {
    const dash = words.indexOf('-')
    const names = words.splice(0, dash < 0 ? words.length : dash)
    const type = dash < 0 ? 'object' : words.splice(0, 2)[1]!
    result.push(...names.map((name) => ({ name, type })))
  }
  return result
}

export function word(expression: Expression): string {
  if (typeof expression !== 'string') throw new SyntaxError(`Expected a word, got (${expression.join(' ')}).`)
  return expression
}

export function listOf(expression: Expression | undefined): Expression[] {
  if (!Array.isArray(expression)) throw new SyntaxError(`Expected a list, got "${expression}".`)
  return expression
}

/** The section of a domain or problem that begins with this word; empty if there is none. */
export function section(document: readonly Expression[], head: string): Expression[] {
  const found = document.find((part) => Array.isArray(part) && part[0] === head)
  return found === undefined ? [] : listOf(found).slice(1)
}
