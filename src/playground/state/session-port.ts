/** What the page asks of whatever runs the loop: a worker of this tab, later a cluster, in tests a stand-in. */
import type { ServerKeys } from '../../roles/source.ts'
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch } from '../../method/settings.ts'
import type { BranchRequest, RunMessage, StartRequest } from '../../sessions/loop-service.ts'

export interface SessionPort {
  start(request: StartRequest): Promise<void>
  /** `keys` are of servers that its models are on. */
  resumeRun(runId: string, keys?: ServerKeys): Promise<void>
  /** Missing where runs keep no checkpoints that another run could begin with. */
  branchRun?(request: BranchRequest): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
  stepOnce(only?: Component, request?: StartRequest): Promise<void>
  patch(patch: LivePatch): Promise<void>
  exportLog(): Promise<{ runId: string; file: Blob } | null>
}

/** Opens the connection. `onLost` is called once, when it has gone for good and a new one has to be opened. */
export type OpenSession = (onMessage: (message: RunMessage) => void, onLost: (why: string) => void) => SessionPort
