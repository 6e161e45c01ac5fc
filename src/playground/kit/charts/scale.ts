/** Scales, ticks and SVG paths of line charts. */

export interface Scale {
  domain: [number, number]
  /** Pixel of a value. */
  at(value: number): number
}

export function linear(domain: [number, number], range: [number, number]): Scale {
  const [d0, d1] = domain
  const [r0, r1] = range
  const slope = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0)
  return { domain, at: (value) => r0 + (value - d0) * slope }
}

/** `linear` over logarithms. The domain is above 0; values that are not lie at its lower end. */
export function logarithmic(domain: [number, number], range: [number, number]): Scale {
  const scale = linear([Math.log10(domain[0]), Math.log10(domain[1])], range)
  return { domain, at: (value) => scale.at(Math.log10(Math.max(value, domain[0]))) }
}

/** The powers of ten in the domain, or its ends where it has fewer than two. */
export function logTicks([low, high]: [number, number]): number[] {
  const result: number[] = []
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power++)
    result.push(10 ** power)
  return result.length > 1 ? result : [low, high]
}

/** About `count` round values in the domain, in steps of 1, 2 or 5 times a power of ten. */
export function ticks([low, high]: [number, number], count: number, isInteger = false): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999)!
  const step = isInteger ? Math.max(1, factor * power) : factor * power
  const result: number[] = []
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    result.push(Number((i * step).toPrecision(12)))
  return result
}

/** The domain of the values, widened to round numbers so that it seldom changes while values arrive. */
export function roundDomain(values: Iterable<number | null>, atLeast?: [number, number]): [number, number] {
  let low = atLeast ? atLeast[0] : Infinity
  let high = atLeast ? atLeast[1] : -Infinity
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) return [0, 1]
  // Values that differ by no more than rounding count as one.
  if (high - low <= 1e-12 * Math.max(1e-300, Math.abs(low), Math.abs(high))) high = low
  if (low === high && Math.abs(low) < 1e-300) return [0, 1]
  if (low === high) return low > 0 ? [0, low * 2] : [low * 2, 0]
  const rough = (high - low) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999)! * power
  return [
    Number((Math.floor(low / step + 1e-9) * step).toPrecision(12)),
    Number((Math.ceil(high / step - 1e-9) * step).toPrecision(12)),
  ]
}

export interface Point {
  x: number
  y: number
}

/**
 * Points as an SVG path. A dense series keeps only the lowest and the highest point of each pixel column, so that spikes
 * stay visible.
 */
export function linePath(points: readonly Point[], x: Scale, y: Scale): string {
  let path = ''
  let column = NaN
  let low: Point | null = null
  let high: Point | null = null
  const isDense = points.length > 600
  const write = (point: Point) => {
    path += `${path === '' ? 'M' : 'L'}${x.at(point.x).toFixed(1)} ${y.at(point.y).toFixed(1)}`
  }
  const flush = () => {
    if (!low || !high) return
    const [first, second] = low.x <= high.x ? [low, high] : [high, low]
    write(first)
    if (second !== first) write(second)
    low = high = null
  }
  for (const point of points) {
    if (!isDense) {
      write(point)
      continue
    }
    const here = Math.round(x.at(point.x))
    if (here !== column) flush()
    column = here
    if (!low || point.y < low.y) low = point
    if (!high || point.y > high.y) high = point
  }
  flush()
  return path
}
