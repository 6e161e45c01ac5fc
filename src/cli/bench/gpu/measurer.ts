/** A process that measures, and that a driver may crash or hang: a child of run.mjs, or a browser. */
import type { GpuMessage } from '../../../bench/gpu/messages.ts'
import type { GpuRequest } from './page-request.ts'

export interface Listener {
  message(message: GpuMessage): void
  /** The process ended by itself, or failed to start. */
  ended(why: string): void
}

export interface Measurer {
  /** Ends it without waiting. */
  stop(): void
  /** What measures: "Node 20.20". */
  name(): string
}

export type StartMeasurer = (request: GpuRequest, listener: Listener) => Measurer

export const endedByItself = (what: string, code: number | null, signal: string | null) =>
  `${what} ended by itself (${signal ?? `exit code ${code}`}).`
