/** A name for a run that sorts by when it was started: run-20260131-142501. */
export function newRunId(now = new Date()): string {
  const digits = now.toISOString().replaceAll(/[^0-9]/g, '')
  return `run-${digits.slice(0, 8)}-${digits.slice(8, 14)}`
}
