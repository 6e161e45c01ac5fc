/** What the page asks of the worker that runs the loop. Tests put a stand-in there. */
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch } from '../../method/settings.ts'
import type { ServerKeys } from '../../roles/source.ts'
import type { BranchRequest, RunMessage, StartRequest, SwapRequest, SwapResult } from '../../sessions/loop-service.ts'

export interface LoopPort {
  /** Whether the runs that begin or continue from now on spare the device. */
  spare(isSparing: boolean): Promise<void>
  start(request: StartRequest): Promise<void>
  /** Continues a kept run. `keys` belong to the servers of its models. */
  resumeRun(runId: string, keys?: ServerKeys): Promise<void>
  branchRun(request: BranchRequest): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
  stepOnce(only?: Component, request?: StartRequest): Promise<void>
  patch(patch: LivePatch): Promise<void>
  /** Resolves when the model plays, or when it is known that it will not. */
  replaceModel(swap: SwapRequest): Promise<SwapResult>
  exportLog(): Promise<{ runId: string; file: Blob } | null>
}

/** Opens the connection. Calls `onLost` once, when it is gone for good and a new one has to be opened. */
export type OpenLoop = (onMessage: (message: RunMessage) => void, onLost: (why: string) => void) => LoopPort
