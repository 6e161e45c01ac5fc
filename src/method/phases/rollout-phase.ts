/** Rolls out the tasks whose turn it is, and the pending candidates. */
import { deriveSeed } from '../random.ts'
import { rollOut, type EpisodeRequest, type RolloutObserver, type RolloutOptions } from '../rollout.ts'
import type { TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

export function rolloutOptions({
  settings,
  state,
  signal,
}: RunContext): Omit<RolloutOptions, 'seed' | 'seedKey' | 'showSteps'> {
  const { maxSteps, policyTemperature, topP } = settings
  return { maxSteps, topP, temperature: policyTemperature, policyVersion: state.policyVersion, signal }
}

/**
 * While the environment is frozen, candidates stay pending and their slots continue with the old task. With `remeasure`, the task
 * of a candidate is rolled out beside it.
 */
export async function* rollOutTasks(run: RunContext, observer?: RolloutObserver): Events<TaskGroup[]> {
  const { settings, state, iteration } = run
  const adapts = run.trains('environment')
  const active = state.chooseSlots(iteration, settings.tasksPerIteration, adapts).map((slot) => slot.active)
  const waiting = adapts
    ? state.slots.flatMap((slot) => (slot.pending ? [{ ...slot, pending: slot.pending }] : []))
    : []
  const remeasured = settings.remeasure ? waiting.map((slot) => slot.active) : []
  const groups: Omit<TaskGroup, 'rollouts'>[] = [
    ...active.map((task) => ({ task, pending: null })),
    ...remeasured.map((task) => ({ task, pending: null, isRemeasured: true })),
    ...waiting.map(({ pending }) => ({ task: pending.candidate, pending })),
  ]
  yield run.log({
    type: 'iteration-started',
    taskIds: active.map((task) => task.id),
    pendingTaskIds: waiting.map(({ pending }) => pending.candidate.id),
    ...(remeasured.length > 0 && { remeasuredTaskIds: remeasured.map((task) => task.id) }),
  })
  const requests = groups.flatMap(({ task }) =>
    Array.from({ length: settings.groupSize }, (_, rollout): EpisodeRequest => ({
      episodeId: `i${iteration}/${task.id}/${rollout}`,
      task,
      split: 'train',
      rollout,
    })),
  )
  const rollouts = yield* run.relay(
    'gen',
    rollOut(run.ports, requests, {
      ...rolloutOptions(run),
      seed: deriveSeed(settings.seed, iteration, 'rollout'),
      showSteps: true,
      observer,
    }),
  )
  return groups.map((group, index) => ({
    ...group,
    rollouts: rollouts.slice(index * settings.groupSize, (index + 1) * settings.groupSize),
  }))
}
