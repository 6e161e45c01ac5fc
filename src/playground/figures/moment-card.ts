/** Sizes of the picture of a moment, in its own units. */
export const CARD = {
  width: 960,
  height: 540,
  margin: 32,
  /** Where the steps begin beside a scene. */
  rowsLeft: 504,
} as const
