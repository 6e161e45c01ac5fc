/**
 * A formula as a tree, from one line of text that reads like it:
 *
 *     R_i = O + {λ}/{m} Σ_j S_{i j}        S̄, q′, p₊, α_low, acc(q), exp(−m(μ − 1)²)
 *
 * `{…}/{…}` is a fraction, `_` and `^` take a letter, a word, a number or `{…}`, two letters or more are a word set upright,
 * `"…"` is set as it is, and `#name{…}` is a symbol that is linked to its number and its place in the picture.
 */
export type MathNode =
  | { kind: 'row'; children: MathNode[] }
  | { kind: 'letter'; text: string }
  | { kind: 'word'; text: string }
  | { kind: 'number'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'operator'; text: string; isPrefix: boolean }
  | { kind: 'scripts'; base: MathNode; sub: MathNode | null; sup: MathNode | null }
  | { kind: 'accent'; base: MathNode; mark: 'mean' | 'hat' }
  | { kind: 'fraction'; top: MathNode; bottom: MathNode }
  | { kind: 'symbol'; id: string; text: string; body: MathNode }

const TOKEN =
  /\s+|#(?<id>[A-Za-z]+)\{|"(?<text>[^"]*)"|(?<number>\d+(?:[.,]\d+)*)|(?<word>[A-Za-z]{2,})|(?<letter>\p{L})|(?<accent>[\u0304\u0302])|(?<script>[₊₋₁₂₃′'²])|(?<mark>[{}_^])|(?<operator>.)/gu

type Kind = 'id' | 'text' | 'number' | 'word' | 'letter' | 'accent' | 'script' | 'mark' | 'operator'
type Token = Partial<Record<Kind, string>> & { index: number }

/** Scripts that Unicode has a letter for. */
const SCRIPTS: Readonly<Record<string, { at: 'sub' | 'sup'; node: MathNode }>> = {
  '₊': { at: 'sub', node: { kind: 'text', text: '+' } },
  '₋': { at: 'sub', node: { kind: 'text', text: '−' } },
  '₁': { at: 'sub', node: { kind: 'number', text: '1' } },
  '₂': { at: 'sub', node: { kind: 'number', text: '2' } },
  '₃': { at: 'sub', node: { kind: 'number', text: '3' } },
  '′': { at: 'sup', node: { kind: 'text', text: '′' } },
  "'": { at: 'sup', node: { kind: 'text', text: '′' } },
  '²': { at: 'sup', node: { kind: 'number', text: '2' } },
}

const OPERATORS: Readonly<Record<string, string>> = { '-': '−', Σ: '∑', '|': '∣' }

export function parseFormula(text: string): MathNode {
  const tokens = [...text.matchAll(TOKEN)].flatMap(({ groups, index }): Token[] =>
    Object.values(groups!).some((value) => value !== undefined) ? [{ ...groups, index }] : [],
  )
  let at = 0

  function row(): MathNode {
    const children: MathNode[] = []
    while (at < tokens.length && tokens[at]!.mark !== '}') {
      const node = scripted(atom(children.at(-1)))
      if (node.kind === 'operator' && node.text === '/' && children.at(-1)?.kind === 'row' && tokens[at]?.mark === '{')
        children.push({ kind: 'fraction', top: children.pop()!, bottom: atom() })
      else children.push(node)
    }
    return children.length === 1 ? children[0]! : { kind: 'row', children }
  }

  /** What stands between braces, which stays a row of its own so that a fraction can take it. */
  function group(): MathNode {
    const inner = row()
    if (tokens[at]?.mark !== '}') throw new Error(`The formula "${text}" has a brace that is not closed.`)
    at++
    return inner
  }

  function atom(before?: MathNode): MathNode {
    const token = tokens[at++]
    if (token?.mark === '{') return { kind: 'row', children: [group()] }
    if (token?.id !== undefined) {
      const body = group()
      const from = token.index + token.id.length + 2
      return { kind: 'symbol', id: token.id, text: text.slice(from, tokens[at - 1]!.index), body }
    }
    if (token?.text !== undefined) return { kind: 'text', text: token.text }
    if (token?.number !== undefined) return { kind: 'number', text: token.number }
    if (token?.word !== undefined) return { kind: 'word', text: token.word }
    const sign = token?.operator ?? (token?.letter === 'Σ' ? 'Σ' : undefined)
    if (sign !== undefined) return { kind: 'operator', text: OPERATORS[sign] ?? sign, isPrefix: isPrefix(sign, before) }
    if (token?.letter !== undefined) return { kind: 'letter', text: token.letter }
    throw new Error(`The formula "${text}" has a script or an accent without a base.`)
  }

  function scripted(base: MathNode): MathNode {
    let node = base
    const scripts: { sub: MathNode | null; sup: MathNode | null } = { sub: null, sup: null }
    for (; at < tokens.length;) {
      const { accent, script, mark } = tokens[at]!
      if (accent !== undefined) {
        at++
        node = { kind: 'accent', base: node, mark: accent === '\u0304' ? 'mean' : 'hat' }
      } else if (script !== undefined) {
        at++
        scripts[SCRIPTS[script]!.at] = SCRIPTS[script]!.node
      } else if (mark === '_' || mark === '^') {
        at++
        scripts[mark === '_' ? 'sub' : 'sup'] = atom()
      } else break
    }
    return scripts.sub === null && scripts.sup === null ? node : { kind: 'scripts', base: node, ...scripts }
  }

  const all = row()
  if (at < tokens.length) throw new Error(`The formula "${text}" has a brace too many.`)
  return all
}

/** Whether a sign belongs to what follows it: "−1" and not "a − 1". */
function isPrefix(sign: string, before: MathNode | undefined): boolean {
  if (sign !== '+' && sign !== '−' && sign !== '-') return false
  return before === undefined || (before.kind === 'operator' && !')]'.includes(before.text))
}

/** Whether there is a space between two parts: a word or a text keeps away from all but operators and brackets. */
export function isApart(before: MathNode, after: MathNode | undefined): boolean {
  const isText = ({ kind }: MathNode) => kind === 'word' || kind === 'text'
  if (after === undefined || before.kind === 'operator' || after.kind === 'operator') return false
  return isText(before) || isText(after) || (before.kind === 'fraction' && after.kind === 'symbol')
}

/** The parts of a line between which it may break: before a sign, and around a text, outside brackets. */
export function lineParts(node: MathNode): MathNode[][] {
  const parts: MathNode[][] = []
  let depth = 0
  let isAfterText = false
  for (const child of node.kind === 'row' ? node.children : [node]) {
    const isText = child.kind === 'symbol' && child.body.kind === 'text'
    const isSign = child.kind === 'operator' && !child.isPrefix && !'()[]∣∑'.includes(child.text)
    if (parts.length === 0 || (depth === 0 && (isSign || isText || isAfterText))) parts.push([])
    parts.at(-1)!.push(child)
    if (child.kind === 'operator') depth += '(['.includes(child.text) ? 1 : ')]'.includes(child.text) ? -1 : 0
    isAfterText = isText
  }
  return parts
}

const inBrackets = (text: string): string => (text.includes(' ') ? `(${text})` : text)

/** The text of a node as it is drawn, without marks for scripts: the name of a symbol has to contain it. */
export function seenText(node: MathNode): string {
  switch (node.kind) {
    case 'row':
      return node.children
        .map((child, i) => seenText(child) + (isApart(child, node.children[i + 1]) ? ' ' : ''))
        .join('')
    case 'scripts':
      return [node.base, node.sub, node.sup].map((part) => (part ? seenText(part) : '')).join('')
    case 'accent':
      return seenText(node.base) + (node.mark === 'hat' ? '^' : '')
    case 'fraction':
      return seenText(node.top) + seenText(node.bottom)
    case 'symbol':
      return seenText(node.body)
    default:
      return node.text
  }
}

/** A formula as plain text, for names and for screen readers. */
export function plainFormula(text: string): string {
  return text
    .replaceAll(/#[A-Za-z]+\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g, '$1')
    .replaceAll(
      /\{([^{}]*)\}\/\{([^{}]*)\}/g,
      (_, top: string, bottom: string) => `${inBrackets(top)} / ${inBrackets(bottom)}`,
    )
    .replaceAll(/_\{([^{}]*)\}/g, (_, script: string) => `_${script.replaceAll(' ', '')}`)
    .replaceAll(/["{}]/g, '')
}
