/** Runs that ship with the page besides each world's own, by the name of their file in `runs/`. A link names them like a kept run. */
export const RECORDINGS = {
  /** Seed 2 of λ = 5 in the table `lambda`, published with `--groups 1 --every 10`: votes rise, held-out accuracy falls, and an alarm fires. */
  pleased: 'household-full-lambda-5',
} as const

export function isRecording(name: string): boolean {
  return Object.values<string>(RECORDINGS).includes(name)
}
