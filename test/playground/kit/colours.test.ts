/** Colours that a reader must tell apart, in numbers: contrast on the page, and distance from one another in colour and in grey. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RUN_MARKS } from '../../../src/playground/kit/charts/run-marks.ts'

const css = readFileSync(new URL('../../../src/playground/kit/palette.css', import.meta.url), 'utf8')
type Theme = 'light' | 'dark'
function colour(name: string, theme: Theme): number[] {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(css)!
  return (theme === 'light' ? light! : dark!).match(/../g)!.map((hex) => Number.parseInt(hex, 16) / 255)
}
const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
/** CIE XYZ, with the white of sRGB at 1. */
function xyz(rgb: number[]): [number, number, number] {
  const [r, g, b] = rgb.map(linear) as [number, number, number]
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
  return [x, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089]
}
function lab(rgb: number[]): [number, number, number] {
  const [x, y, z] = xyz(rgb).map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116))
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)]
}
function contrast(a: number[], b: number[]): number {
  const [dark, light] = [xyz(a)[1], xyz(b)[1]].sort((one, other) => one - other)
  return (light! + 0.05) / (dark! + 0.05)
}

describe.each<Theme>(['light', 'dark'])('the colours of compared runs in the %s theme', (theme) => {
  const runs = RUN_MARKS.map((_, i) => colour(`run-${i + 1}`, theme))

  it('can be read as letters on the page', () => {
    for (const run of runs) expect(contrast(run, colour('surface', theme))).toBeGreaterThanOrEqual(4.5)
  })

  it('are far from one another, and the first three in grey as well', () => {
    for (const [i, run] of runs.entries()) {
      for (const [j, other] of runs.slice(0, i).entries()) {
        const [a, b] = [lab(run), lab(other)]
        expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `runs ${j + 1} and ${i + 1}`).toBeGreaterThan(25)
        if (i < 3) expect(Math.abs(a[0] - b[0]), `runs ${j + 1} and ${i + 1}`).toBeGreaterThan(14)
      }
    }
  })
})

it.each<Theme>(['light', 'dark'])('encouraged and discouraged differ in grey in the %s theme', (theme) => {
  const [blue, orange] = [colour('encouraged', theme), colour('discouraged', theme)]
  expect(Math.abs(lab(blue)[0] - lab(orange)[0])).toBeGreaterThan(15)
  const cells = lab(orange)[0] - lab(colour('encouraged-fill', theme))[0]
  expect(cells, 'of cells, which mix them with the page').toBeGreaterThan(theme === 'dark' ? 25 : 15)
  // As bars and tiles they stand out from the page.
  expect(contrast(blue, colour('surface', theme))).toBeGreaterThan(3)
})
