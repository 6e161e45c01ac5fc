/** Rolling out the tasks whose turn it is, and the candidates that wait for their measurement. */
import { deriveSeed } from '../random.ts'
import { rollOut, type EpisodeRequest, type RolloutOptions } from '../rollout.ts'
import { newGroup, type TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

/** What every rollout of this iteration is sampled with. */
export function rolloutOptions({
  settings,
  state,
  signal,
}: RunContext): Omit<RolloutOptions, 'seed' | 'seedKey' | 'showSteps'> {
  const { maxSteps, policyTemperature, topP } = settings
  return { maxSteps, topP, temperature: policyTemperature, policyVersion: state.policyVersion, signal }
}

/** Candidates wait while the environment is frozen, and their slots go on with the old task. */
export async function* rollOutTasks(run: RunContext): Events<TaskGroup[]> {
  const { settings, state, iteration } = run
  const adapts = run.trains('environment')
  const active = state.chooseSlots(iteration, settings.tasksPerIteration, adapts).map((slot) => slot.active)
  const waiting = adapts ? state.slots.flatMap(({ pending }) => (pending ? [pending] : [])) : []
  const groups = [
    ...active.map((task) => newGroup(task)),
    ...waiting.map((pending) => newGroup(pending.candidate, pending)),
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
  groups.forEach((group, index) => {
    group.rollouts = rollouts.slice(index * settings.groupSize, (index + 1) * settings.groupSize)
  })
  return groups
}
