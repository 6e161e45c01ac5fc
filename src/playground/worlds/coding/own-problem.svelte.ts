/** A problem that a person writes, tries and keeps. The draft survives a reload. */
import { importedTask } from '../../../worlds/coding/released/file.ts'
import { EMPTY_DRAFT, faultyLine, fileOf, parseDraft, problemOf, sentenceOf, type OwnDraft } from './own-problem.ts'
import { HandProgram, type HandJudge } from './hand-program.svelte.ts'
import { readLocal, writeLocal } from '../../kit/local-text.ts'
import type { Problems } from './problems.svelte.ts'
import { errorText } from '../../../threads/error-text.ts'

const KEY = 'playground.own-problem'

export class OwnProblem {
  readonly #judge: HandJudge
  readonly #problems: Problems
  #draft = $state.raw<OwnDraft>(parseDraft(readLocal(KEY)))
  #fault = $state.raw<string | null>(null)
  #isTrying = $state.raw(false)
  #kept = $state.raw<string | null>(null)
  #hand = $state.raw<HandProgram | null>(null)
  /** Counts the changes of the form, except those of the program, which is not part of the problem. */
  #version = 0

  constructor(judge: HandJudge, problems: Problems) {
    this.#judge = judge
    this.#problems = problems
  }

  get draft(): OwnDraft {
    return this.#draft
  }
  /** Why it cannot be posed as it is, found when it was last tried or kept. */
  get fault(): string | null {
    return this.#fault
  }
  get faultyLine(): { number: number; text: string } | null {
    return this.#fault?.startsWith('The checker') ? faultyLine(this.#fault, this.#draft.checker) : null
  }
  /** Name of the file that it was kept as, if the form has not changed since. */
  get kept(): string | null {
    return this.#kept
  }
  get isTrying(): boolean {
    return this.#isTrying
  }
  /** The problem as last tried, with a program; null before that and after a change. */
  get hand(): HandProgram | null {
    return this.#hand
  }

  change(fields: Partial<OwnDraft>): void {
    this.#version++
    this.#write(fields)
    this.#fault = null
    this.#kept = null
    this.#hand = null
  }

  changeTest(index: number, fields: Partial<OwnDraft['tests'][number]>): void {
    this.change({ tests: this.#draft.tests.map((test, at) => (at === index ? { ...test, ...fields } : test)) })
  }

  addTest(): void {
    this.change({ tests: [...this.#draft.tests, { input: '', output: '' }] })
  }

  removeTest(index: number): void {
    this.change({ tests: this.#draft.tests.filter((_, at) => at !== index) })
  }

  clear(): void {
    this.change(EMPTY_DRAFT)
  }

  /** Tries the checker, then the program. */
  async try(): Promise<void> {
    const problem = await this.#sound()
    if (problem === null) return
    const { program } = this.#draft
    this.#hand = new HandProgram(importedTask('own', problem), this.#judge, {
      ...(program !== '' && { program }),
      onwrite: (written) => this.#write({ program: written }),
    })
    if (program !== '') await this.#hand.judge()
  }

  /** Adds it to the library for training. Replaces one with the same statement. */
  async keep(): Promise<void> {
    const problem = await this.#sound()
    if (problem === null) return
    const version = this.#version
    const { name, text } = fileOf(problem)
    const failures = await this.#problems.importFiles([new File([text], name, { type: 'application/json' })])
    if (version !== this.#version) return
    if (failures.length === 0) this.#kept = name
    else this.#fault = failures.map(({ why }) => why).join(' ')
  }

  async #sound() {
    if (this.#isTrying) return null
    const version = this.#version
    const read = problemOf(this.#draft)
    this.#fault = 'fault' in read ? read.fault : null
    if ('fault' in read) return null
    this.#isTrying = true
    try {
      const fault = await this.#judge.checkerFault(read.problem)
      if (version !== this.#version) return null
      this.#fault = fault === null ? null : sentenceOf(fault)
      return fault === null ? read.problem : null
    } catch (cause) {
      this.#fault = `The judge could not be asked: ${errorText(cause)} Try again, or reload the page.`
      return null
    } finally {
      this.#isTrying = false
    }
  }

  #write(fields: Partial<OwnDraft>): void {
    this.#draft = { ...this.#draft, ...fields }
    writeLocal(KEY, JSON.stringify(this.#draft))
  }
}
