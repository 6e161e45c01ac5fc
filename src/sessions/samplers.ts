/** How many workers sample for a built-in policy or reward model, and compute its gradients. */

/** Each takes about 90 MB, and a role has as many. */
const MOST_SAMPLERS = 4

/** One for each core: policy and reward model sample one after the other. */
export function samplersFor(cores: number | undefined): number {
  return Math.max(1, Math.min(cores ?? 1, MOST_SAMPLERS))
}
