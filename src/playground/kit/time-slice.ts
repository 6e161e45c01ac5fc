/** Splits long work into slices, so that the page stays responsive. */
const SLICE_MS = 6

interface Slicer {
  /** True when the current slice is used up: await `rest()` before continuing. */
  isDue(): boolean
  rest(): Promise<void>
}

export function slicer(): Slicer {
  let start = performance.now()
  return {
    isDue: () => performance.now() - start > SLICE_MS,
    async rest() {
      await new Promise<void>((resolve) => setTimeout(resolve, 0))
      start = performance.now()
    },
  }
}
