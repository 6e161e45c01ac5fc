/** How many workers sample for a built-in policy or reward model. */

/** Each takes about 110 MB, and a role has as many. */
const MOST_SAMPLERS = 4

/** One for each core: policy and reward model sample one after the other. */
export function samplersFor(cores: number | undefined): number {
  return Math.max(1, Math.min(cores ?? 1, MOST_SAMPLERS))
}
