/** The metrics of a run over its iterations, by name (metric-points.ts). */

/** One metric over the run; `iterations[i]` belongs to `values[i]`. */
export interface Series {
  iterations: number[]
  values: number[]
}

const EMPTY_SERIES: Series = { iterations: [], values: [] }

export class MetricSeries {
  readonly #byName = new Map<string, Series>()

  get names(): string[] {
    return [...this.#byName.keys()]
  }

  /** Empty for an unknown name. */
  get(name: string): Readonly<Series> {
    return this.#byName.get(name) ?? EMPTY_SERIES
  }

  add(name: string, iteration: number, value: number): void {
    let series = this.#byName.get(name)
    if (!series) this.#byName.set(name, (series = { iterations: [], values: [] }))
    series.iterations.push(iteration)
    series.values.push(value)
  }

  /** Removes the points of the last iteration, if it has this number. */
  discard(iteration: number): void {
    for (const series of this.#byName.values()) {
      if (series.iterations.at(-1) !== iteration) continue
      series.iterations.pop()
      series.values.pop()
    }
  }

  /** A copy up to the end of an iteration. */
  until(iteration: number): MetricSeries {
    const copy = new MetricSeries()
    for (const [name, { iterations, values }] of this.#byName) {
      const count = iterations.findLastIndex((own) => own <= iteration) + 1
      if (count > 0) copy.#byName.set(name, { iterations: iterations.slice(0, count), values: values.slice(0, count) })
    }
    return copy
  }
}
