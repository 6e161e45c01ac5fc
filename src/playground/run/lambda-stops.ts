/** The values of λ that the first screen offers and the experiments sweep, evenly spaced on its slider. */
export const LAMBDA_STOPS = [0, 0.5, 1, 2, 5] as const
type LambdaStop = (typeof LAMBDA_STOPS)[number]

/** "½" for 0.5. */
export function writeStop(lambda: number): string {
  return lambda === 0.5 ? '½' : String(lambda)
}

export function nearestStop(lambda: number): LambdaStop {
  return [...LAMBDA_STOPS].sort((a, b) => Math.abs(a - lambda) - Math.abs(b - lambda))[0]!
}
