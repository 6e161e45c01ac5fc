/**
 * How many of the newest iterations of a kept run stay complete in memory, 3 MB each in the household. An earlier one is read back
 * from the store while it is on show.
 */
export const WHOLE_ITERATIONS = 10
