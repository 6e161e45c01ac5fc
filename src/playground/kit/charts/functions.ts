/** The data of a chart of functions: lines with marked points, a level and a band to compare with. */
import type { Point } from './scale.ts'
import type { LineStyle } from './series.ts'

export interface FunctionChart {
  title: string
  about: string
  x: FunctionAxis
  y: FunctionAxis
  curves: { name: string; line: LineStyle; points: Point[] }[]
  /** Each is on the curve of its name. A curve may have none. */
  marks: ({ name: string } & Point)[]
  /** The symbol of each part, for the links of a view. */
  symbols: { x: string; y: string; level?: string }
  level?: { name: string; y: number }
  /** A range of x. */
  band?: { name: string; from: number; to: number }
}

interface FunctionAxis {
  name: string
  domain: [number, number]
  ticks: number[]
  write: (value: number) => string
}

/** The values of each curve at its ends and its mark. */
export function summariseFunctions({ title, x, y, curves, marks, level, band }: FunctionChart): string {
  const sentences = curves.map(({ name, points }) => {
    const mark = marks.find((each) => each.name === name)
    const places = [points[0]!, ...(mark ? [mark] : []), points.at(-1)!]
    return `${name} ${places.map((at) => `${y.write(at.y)} at ${x.write(at.x)}`).join(', ')}`
  })
  if (level) sentences.push(`${level.name} is ${y.write(level.y)}`)
  if (band) sentences.push(`shaded from ${band.name}`)
  return `${title}. Over ${x.name}: ${sentences.join('; ')}.`
}
