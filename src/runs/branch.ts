/**
 * A run that begins at a checkpoint of another, with other settings or models from there on. Its changes are logged at once,
 * after the checkpoint, so a branch that is interrupted in its first iteration still has them.
 */
import type { LoggedEvent } from '../method/events.ts'
import { applyPatch, type Settings } from '../method/settings.ts'
import { keptCheckpoint, type KeptCheckpoint } from './checkpoint-thinning.ts'
import type { Branch, ModelChange, RunCheckpoint, RunSummary } from './run-store.ts'

type Place = Pick<KeptCheckpoint, 'iteration' | 'eventCount'>

/** The events with which a branch begins. Throws SettingsError for a change that the run does not take. */
export function branchEvents(run: RunSummary, at: Place, { patch, replaced = [] }: Branch): LoggedEvent[] {
  applyPatch(settingsWithin(run, at), patch)
  const bodies = [
    ...replaced.map(({ role, model }) => ({ type: 'model-replaced' as const, role, model })),
    ...(Object.keys(patch).length > 0 ? [{ type: 'settings-changed' as const, patch }] : []),
  ]
  return bodies.map((body, i) => ({ ...body, seq: at.eventCount + i, iteration: at.iteration + 1 }))
}

/** `begins` are its first events. */
export function branchSummary(
  run: RunSummary,
  at: RunCheckpoint,
  branch: Branch,
  begins: readonly LoggedEvent[],
): RunSummary {
  const { runId, iterations, replaced = [], keyedServers = [] } = branch
  const models = { ...modelsWithin(run, at), ...Object.fromEntries(replaced.map(({ role, source }) => [role, source])) }
  const servers = new Set([...(run.keyedServers ?? []), ...keyedServers])
  const summary: RunSummary = {
    ...cutBack(run, at),
    ...{ runId, iterations, isFinished: false, isPinned: false, logBytes: 0 },
    ...(Object.keys(models).length > 0 && { models }),
    ...(servers.size > 0 && { keyedServers: [...servers] }),
    origin: { kind: 'branch', runId: run.runId, iteration: at.iteration },
    createdAt: Date.now(),
    updatedAt: Date.now(),
  }
  for (const event of begins) noteChange(summary, event)
  return summary
}

/** The checkpoint that a branch begins with: models that it replaces are as they are when they are opened. */
export function branchCheckpoint(
  at: RunCheckpoint,
  { runId, replaced = [] }: Branch,
  begins: readonly LoggedEvent[],
): RunCheckpoint {
  const untrained = Object.fromEntries(replaced.map(({ role }) => [role, new Uint8Array()]))
  return { ...at, runId, eventCount: at.eventCount + begins.length, ...untrained }
}

/** Changes of settings after a checkpoint, of `events` and those that wait, as they are logged right after it. */
export function changesAfter(
  events: readonly LoggedEvent[],
  { waiting }: Pick<RunSummary, 'waiting'>,
  at: Place,
): LoggedEvent[] {
  const patches = events.flatMap((event) =>
    event.type === 'settings-changed' && event.seq >= at.eventCount ? [event.patch] : [],
  )
  return [...patches, ...(waiting ? [waiting] : [])].map((patch, i) => ({
    ...{ type: 'settings-changed' as const, patch },
    ...{ seq: at.eventCount + i, iteration: at.iteration + 1 },
  }))
}

/** The summary of a run that goes on with another model, without what its event adds (noteChange). */
export function changedSummary(run: RunSummary, { event, source, keyedServers, checkpoint }: ModelChange): RunSummary {
  const { iteration, seq, role, model } = event
  const before = run.models?.[role] ?? { kind: 'built-in' as const }
  const servers = new Set([...(run.keyedServers ?? []), ...keyedServers])
  return {
    ...run,
    models: { ...run.models, [role]: source },
    replacements: [...(run.replacements ?? []), { iteration, seq, role, model, before }],
    ...(servers.size > 0 && { keyedServers: [...servers] }),
    checkpoints: [
      ...run.checkpoints.filter((each) => each.iteration < checkpoint.iteration),
      keptCheckpoint(checkpoint),
    ],
  }
}

/** The models of a run at a checkpoint: without those that took their place later. */
export function modelsWithin({ models, replacements = [] }: RunSummary, at: Place): RunSummary['models'] {
  const later = replacements.filter(({ seq }) => seq >= at.eventCount).reverse()
  const before = later.flatMap(({ role, before }) => (before === undefined ? [] : [[role, before] as const]))
  return before.length > 0 ? { ...models, ...Object.fromEntries(before) } : models
}

/** A run as it was at a checkpoint. */
export function cutBack({ waiting: _, ...run }: RunSummary, at: Place): RunSummary {
  const models = modelsWithin(run, at)
  return {
    ...run,
    finishedIterations: at.iteration,
    ...(models && { models }),
    changes: within(run.changes, at),
    ...(run.replacements && { replacements: within(run.replacements, at) }),
    checkpoints: run.checkpoints.filter((checkpoint) => checkpoint.iteration <= at.iteration),
  }
}

/** The settings of a run at a checkpoint. */
export function settingsWithin(run: Pick<RunSummary, 'settings' | 'changes'>, at: Place): Settings {
  return within(run.changes, at).reduce((settings, { patch }) => ({ ...settings, ...patch }), run.settings)
}

/** Adds what an event changes to the summary of its run. */
export function noteChange(summary: RunSummary, event: LoggedEvent): void {
  const { iteration, seq } = event
  if (event.type === 'settings-changed') {
    summary.changes = [...summary.changes, { iteration, seq, patch: event.patch }]
    delete summary.waiting
  }
  if (event.type === 'model-replaced')
    summary.replacements = [...(summary.replacements ?? []), { iteration, seq, role: event.role, model: event.model }]
}

function within<T extends { iteration: number; seq?: number }>(changes: readonly T[], at: Place): T[] {
  return changes.filter(({ iteration, seq }) => (seq === undefined ? iteration <= at.iteration : seq < at.eventCount))
}
