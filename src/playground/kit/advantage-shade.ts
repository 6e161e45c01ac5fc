/**
 * The fill of a cell that shows an advantage: blue for encouraged, orange and hatched for discouraged, fuller for larger ones. The
 * hatch tells the two apart in grey.
 */

/** Advantages are standardised, so few are larger. */
const FULL = 2
/** Percent of the hue in the fill. The text on it stays readable at the largest. */
const LEAST = 22
const MOST = 62

/** The colour alone. */
export function shade(advantage: number | null): string {
  if (advantage === null || advantage === 0) return 'var(--surface)'
  const share = Math.min(1, Math.abs(advantage) / FULL)
  const hue = advantage < 0 ? '--discouraged' : '--encouraged-fill'
  return `color-mix(in oklab, var(${hue}) ${Math.round(LEAST + (MOST - LEAST) * share)}%, var(--surface))`
}

/** The shade and its hatch, as a background. */
export function fill(advantage: number | null): string {
  return advantage !== null && advantage < 0 ? `var(--hatch) ${shade(advantage)}` : shade(advantage)
}
