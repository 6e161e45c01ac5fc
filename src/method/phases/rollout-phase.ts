/** Rolls out the tasks whose turn it is, and the pending candidates. */
import { deriveSeed } from '../random.ts'
import { rollOut, type EpisodeRequest, type RolloutOptions } from '../rollout.ts'
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

/** While the environment is frozen, candidates stay pending and their slots continue with the old task. */
export async function* rollOutTasks(run: RunContext): Events<TaskGroup[]> {
  const { settings, state, iteration } = run
  const adapts = run.trains('environment')
  const active = state.chooseSlots(iteration, settings.tasksPerIteration, adapts).map((slot) => slot.active)
  const waiting = adapts ? state.slots.flatMap(({ pending }) => (pending ? [pending] : [])) : []
  const groups = [
    ...active.map((task) => ({ task, pending: null })),
    ...waiting.map((pending) => ({ task: pending.candidate, pending })),
  ]
  yield run.log({
    type: 'iteration-started',
    taskIds: active.map((task) => task.id),
    pendingTaskIds: waiting.map(({ candidate }) => candidate.id),
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
    }),
  )
  return groups.map((group, index) => ({
    ...group,
    rollouts: rollouts.slice(index * settings.groupSize, (index + 1) * settings.groupSize),
  }))
}
