/** Problems to browse: the imported ones, and an endless list of generated ones. */
import type { Split } from '../../../method/ports.ts'
import type { CodingTask } from '../../../worlds/coding/problem.ts'
import type { ImportedProblem } from '../../../worlds/coding/problem-source.ts'
import { generateTask } from '../../../worlds/coding/problems/generator.ts'
import { slicer } from '../../kit/time-slice.ts'

export type ProblemsFrom = 'generated' | 'imported'

/** Problems added by each "Show more". */
const PAGE = 8

export class ProblemShelf {
  #imported: readonly ImportedProblem[] = []
  #from = $state.raw<ProblemsFrom>('generated')
  #split = $state.raw<Split>('train')
  #wanted = PAGE
  #tasks = $state.raw<readonly CodingTask[]>([])
  #hasMore = $state.raw(false)
  #filling = 0

  get from(): ProblemsFrom {
    return this.#from
  }
  get split(): Split {
    return this.#split
  }
  get tasks(): readonly CodingTask[] {
    return this.#tasks
  }
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Sets the imported problems. */
  async offer(imported: readonly ImportedProblem[]): Promise<void> {
    this.#imported = imported
    if (imported.length === 0) this.#from = 'generated'
    await this.#fill()
  }

  async choose({ from = this.#from, split = this.#split }: { from?: ProblemsFrom; split?: Split }): Promise<void> {
    this.#from = from
    this.#split = split
    this.#wanted = PAGE
    await this.#fill()
  }

  async showMore(): Promise<void> {
    this.#wanted += PAGE
    await this.#fill()
  }

  async #fill(): Promise<void> {
    const filling = ++this.#filling
    const split = this.#split
    if (this.#from === 'imported') {
      const found = this.#imported.filter((problem) => problem.split === split).map(({ task }) => task)
      this.#tasks = found.slice(0, this.#wanted)
      this.#hasMore = found.length > this.#wanted
      return
    }
    const slice = slicer()
    const tasks: CodingTask[] = []
    for (let seed = 1; seed <= this.#wanted; seed++) {
      tasks.push(generateTask({ seed, split }))
      if (slice.isDue()) await slice.rest()
      if (filling !== this.#filling) return
    }
    this.#tasks = tasks
    this.#hasMore = true
  }
}
