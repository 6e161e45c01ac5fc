/** Names a run by its start, to the millisecond, so that names sort by time: run-20260131-142501-042. */
export function newRunId(now = new Date()): string {
  const digits = now.toISOString().replaceAll(/[^0-9]/g, '')
  return `run-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${digits.slice(14, 17)}`
}
