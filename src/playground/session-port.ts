/**
 * What the page asks of the worker that runs the loop, and what it hears back. The page knows nothing else of it, so
 * that a tab's worker, a remote run and a test's stand-in are the same to it. Everything that crosses is plain data.
 */
import type { RunEvent } from '../method/events.ts'
import type { Component } from '../method/loop-contract.ts'
import type { LivePatch, Settings } from '../method/settings.ts'

export interface StartRequest {
  runId: string
  preset: string
  settings: Settings
  /** Iterations to run before the run ends by itself. */
  iterations: number
}

/** In words for people: what happened, why, and what they can do. */
export interface SessionFailure {
  what: string
  why: string
  remedy: string
}

export type SessionStatus =
  | { state: 'idle' }
  /** `total` is 0 where it is not known. Both in bytes. */
  | { state: 'loading'; what: string; done: number; total: number }
  | { state: 'running' }
  /** Between two iterations, or as soon after the request as the loop can stop. */
  | { state: 'pausing' }
  | { state: 'paused' }
  | { state: 'finished'; reason: 'completed' | 'stopped' }
  | { state: 'failed'; failure: SessionFailure }

export interface SessionListener {
  /** In the order in which they happened; any number of them at once. */
  onEvents(batch: RunEvent[]): void
  onStatus(status: SessionStatus): void
}

export interface SessionPort {
  /** Loads what the settings ask for and runs; resolves when the run is under way. Ends a run that is under way. */
  start(request: StartRequest): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
  /** One iteration, then paused. `only` trains or adapts that component alone. Starts the run if `request` is given and none is under way. */
  stepOnce(only?: Component, request?: StartRequest): Promise<void>
  /** Takes effect at the next iteration. */
  patch(patch: LivePatch): Promise<void>
}

/** Opens the connection; the listener hears of everything from then on. */
export type OpenSession = (listener: SessionListener) => SessionPort
