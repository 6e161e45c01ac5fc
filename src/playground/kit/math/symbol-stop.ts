/**
 * One stop of Tab for the symbols of an equation: arrow keys, Home and End move among them, Escape and Tab leave. Follows the roving
 * tab index of the ARIA Authoring Practices: the symbol that Tab stops at has the tab index 0, the others have −1.
 */
import { getContext, setContext } from 'svelte'
import type { Attachment } from 'svelte/attachments'

const KEY = Symbol('stop of symbols')
const HOW = 'Arrow keys move among its symbols'

type SymbolElement = HTMLElement | MathMLElement

class SymbolStop {
  readonly #symbols = new Set<SymbolElement>()
  /** Where the focus was last, and where Tab returns to. */
  #last: SymbolElement | null = null

  /** Makes a symbol one of those that share the stop. */
  readonly member: Attachment<SymbolElement> = (symbol) => {
    this.#symbols.add(symbol)
    const focus = () => this.#stopAt(symbol)
    symbol.addEventListener('focus', focus)
    this.#stopAt(this.#last)
    return () => {
      symbol.removeEventListener('focus', focus)
      this.#symbols.delete(symbol)
      if (this.#last === symbol) this.#last = null
      this.#stopAt(this.#last)
    }
  }

  /** Attributes of the element that contains the symbols. */
  attributes(name: string) {
    return { role: 'group', 'aria-label': name, 'aria-description': HOW, onkeydown: this.#press } as const
  }

  readonly #press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const symbols = this.#inOrder()
    const at = symbols.indexOf(event.target as SymbolElement)
    if (at < 0) return
    if (event.key === 'Escape') return symbols[at]!.blur()
    const last = symbols.length - 1
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    symbols[Math.min(last, Math.max(0, to))]!.focus()
  }

  #inOrder(): SymbolElement[] {
    return [...this.#symbols].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
  }

  #stopAt(symbol: SymbolElement | null): void {
    this.#last = symbol
    const stop = symbol ?? this.#inOrder()[0]
    for (const each of this.#symbols) each.tabIndex = each === stop ? 0 : -1
  }
}

/** Makes the symbols inside the component that calls it share one stop. */
export function shareStop(): SymbolStop {
  return setContext(KEY, new SymbolStop())
}

/** The stop that the symbols of a component share; null for a symbol in running text, which is a stop itself. */
export function sharedStop(): SymbolStop | null {
  return getContext<SymbolStop | undefined>(KEY) ?? null
}
