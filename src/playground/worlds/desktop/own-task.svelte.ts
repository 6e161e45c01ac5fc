/** A task that a person makes: the choice, what is wrong with it, and the task. The choice survives a reload. */
import * as v from 'valibot'
import type { DesktopGame } from '../../../worlds/desktop/engine/game.ts'
import { templateNamed } from '../../../worlds/desktop/generator/templates.ts'
import { OWN_KINDS, tasksOnDesktop, valuesFor, withWords } from '../../../worlds/desktop/own/choose-task.ts'
import { readLocal, writeLocal } from '../../kit/local-text.ts'

const KEY = 'playground.own-desktop-task'

const draftShape = v.object({
  kind: v.picklist(OWN_KINDS),
  /** Draws the desktop. */
  seed: v.number(),
  /** Sentence of the chosen task; one that the kind does not have on the desktop, such as '', chooses the first. */
  instruction: v.string(),
  /** By parameter. */
  words: v.record(v.string(), v.string()),
})
type OwnTaskDraft = v.InferOutput<typeof draftShape>

const FIRST: OwnTaskDraft = { kind: OWN_KINDS[0]!, seed: 1, instruction: '', words: {} }
const keptDraft = v.fallback(v.pipe(v.string(), v.parseJson(), draftShape), FIRST)

export class OwnTask {
  #draft = $state.raw<OwnTaskDraft>(v.parse(keptDraft, readLocal(KEY)))
  readonly #offered = $derived(tasksOnDesktop(this.#draft.kind, this.#draft.seed))
  readonly #base = $derived(
    this.#offered.find(({ instruction }) => instruction === this.#draft.instruction) ?? this.#offered[0],
  )
  readonly #made = $derived.by(() => {
    if (!this.#base)
      return 'This desktop has nothing for this kind of task. Draw another desktop, or choose another kind.'
    return withWords(
      this.#base,
      Object.entries(this.#draft.words).map(([parameter, value]) => ({ parameter, value })),
    )
  })
  readonly #parameters = $derived.by(() => {
    const base = this.#base
    if (!base) return []
    return templateNamed(this.#draft.kind).settable.map((name) => ({
      name,
      value: this.#draft.words[name] ?? '',
      values: valuesFor(base, name),
    }))
  })

  get kind(): string {
    return this.#draft.kind
  }
  /** What the kind can ask for on this desktop. */
  get offered(): readonly DesktopGame[] {
    return this.#offered
  }
  /** The offered task to which words are put. */
  get base(): DesktopGame | undefined {
    return this.#base
  }
  /** Words of the task that can be set: '' leaves one as it is. `values` are some that make sense. */
  get parameters(): readonly { name: string; value: string; values: readonly string[] }[] {
    return this.#parameters
  }
  /** Null while something is wrong. */
  get game(): DesktopGame | null {
    return typeof this.#made === 'string' ? null : this.#made
  }
  /** What is wrong with the choice, in a sentence; null if nothing is. */
  get fault(): string | null {
    return typeof this.#made === 'string' ? this.#made : null
  }

  chooseKind(kind: string): void {
    this.#change({ kind, instruction: '', words: {} })
  }
  chooseTask(instruction: string): void {
    this.#change({ instruction, words: {} })
  }
  drawDesktop(): void {
    this.#change({ seed: this.#draft.seed + 1, instruction: '', words: {} })
  }
  setWord(parameter: string, value: string): void {
    const { [parameter]: _, ...others } = this.#draft.words
    const word = value.trim()
    this.#change({ words: word === '' ? others : { ...others, [parameter]: word } })
  }

  #change(fields: Partial<OwnTaskDraft>): void {
    this.#draft = { ...this.#draft, ...fields }
    writeLocal(KEY, JSON.stringify(this.#draft))
  }
}
