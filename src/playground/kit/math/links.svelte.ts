/**
 * What is lit up in a view: symbols of its equations, with their numbers and their places in the picture. Pointer or focus on any of
 * them lights the others.
 */
import type { Attachment } from 'svelte/attachments'

export type Hue = 'policy' | 'reward' | 'environment'

/** What a symbol stands for, in words, and the component whose it is. */
export interface SymbolMeaning {
  means: string
  hue?: Hue
}

/** What a formula needs of the links of its view. */
export interface SymbolLinks {
  meaningOf(id: string): SymbolMeaning
  isLit(...ids: readonly string[]): boolean
  lights(...ids: readonly string[]): Attachment<Element>
  symbol(id: string): Attachment<Element>
}

export class Links<Id extends string> implements SymbolLinks {
  readonly #meanings: Readonly<Record<Id, SymbolMeaning>>
  /** Those under the pointer, the innermost last: a cell may be within another. */
  #pointed = $state.raw<readonly (readonly Id[])[]>([])
  #focused = $state.raw<readonly Id[]>([])
  /** A page that scrolls to the focus moves something under a resting pointer, which must not put the focus out. */
  readonly #lit = $derived([
    ...this.#focused,
    ...(this.#pointed.at(-1) ?? []).filter((id) => !this.#focused.includes(id)),
  ])

  constructor(meanings: Readonly<Record<Id, SymbolMeaning>>) {
    this.#meanings = meanings
  }

  meaningOf(id: string): SymbolMeaning {
    if (!Object.hasOwn(this.#meanings, id)) throw new Error(`No symbol of this view has the name "${id}".`)
    return this.#meanings[id as Id]
  }
  /** The meaning of the one symbol that is lit up; null for none or several. */
  get told(): { id: Id; means: string } | null {
    const [id, ...others] = this.#lit
    return id === undefined || others.length > 0 ? null : { id, means: this.#meanings[id].means }
  }
  /** Whether one of the symbols is lit up. */
  isLit(...ids: readonly string[]): boolean {
    return this.#lit.some((id) => ids.includes(id))
  }

  /** Lights symbols while the pointer or the keyboard is on an element: a number of theirs, or their place. */
  lights(...ids: readonly Id[]): Attachment<Element> {
    // A click on a cell chooses it, and is not there to light it up.
    return this.#litWhile(ids, (element) => element.matches(':focus-visible, :has(:focus-visible)'))
  }
  /** The same for a symbol itself, also after a tap. */
  symbol(id: Id): Attachment<Element> {
    return this.#litWhile([id], () => true)
  }

  #litWhile(ids: readonly Id[], isFocus: (element: Element) => boolean): Attachment<Element> {
    return (element) => {
      const point = () => (this.#pointed = [...this.#pointed, ids])
      const unpoint = () => (this.#pointed = this.#pointed.filter((each) => each !== ids))
      const focus = () => {
        if (isFocus(element)) this.#focused = ids
      }
      const blur = () => (this.#focused = [])
      element.addEventListener('pointerenter', point)
      element.addEventListener('pointerleave', unpoint)
      element.addEventListener('focusin', focus)
      element.addEventListener('focusout', blur)
      // Attached again while it has the focus: its component was given something new.
      if (element.contains(document.activeElement)) focus()
      return () => {
        element.removeEventListener('pointerenter', point)
        element.removeEventListener('pointerleave', unpoint)
        element.removeEventListener('focusin', focus)
        element.removeEventListener('focusout', blur)
        if (this.#pointed.includes(ids)) unpoint()
        if (this.#focused === ids) blur()
      }
    }
  }
}
