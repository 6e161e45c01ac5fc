/**
 * Measures held-out tasks, at the temperatures of training: at temperature 0 all programs of a task are the same, and Detect
 * has nothing to count. Tasks and random numbers are the same every time, so two evaluations differ only by their models.
 */
import { deriveSeed } from '../random.ts'
import { rollOut, type EpisodeRequest } from '../rollout.ts'
import { askOptions } from './reward-phase.ts'
import { rolloutOptions } from './rollout-phase.ts'
import type { Events, RunContext } from './run-context.ts'

export async function* evaluateHeldOut(run: RunContext): Events<void> {
  const { seed, evaluationTasks, evaluationRollouts } = run.settings
  if (evaluationTasks === 0) return
  for (const split of ['id', 'ood'] as const) {
    run.signal?.throwIfAborted()
    const tasks = await run.ports.environment.sampleTasks(split, evaluationTasks, deriveSeed(seed, 'tasks', split))
    if (tasks.length === 0) continue
    const requests = tasks.flatMap((task, index) =>
      Array.from({ length: evaluationRollouts }, (_, rollout): EpisodeRequest => ({
        episodeId: `e${run.iteration}/${split}/${index}${evaluationRollouts > 1 ? `/${rollout}` : ''}`,
        task,
        split,
        rollout,
      })),
    )
    const own = rolloutOptions(run)
    const options = { ...own, maxSteps: run.settings.evaluationMaxSteps || own.maxSteps }
    const rollouts = yield* run.relay(
      'eval',
      rollOut(run.ports, requests, {
        ...options,
        seed: deriveSeed(seed, 'evaluate', split),
        // So that the first rollout draws the same numbers as a single one.
        seedKey: ({ task, rollout }) => (rollout === 0 ? task.id : `${task.id}/${rollout}`),
        showSteps: false,
      }),
    )
    const groups = tasks.map((task, index) => ({
      task,
      pending: null,
      rollouts: rollouts.slice(index * evaluationRollouts, (index + 1) * evaluationRollouts),
    }))
    const asked = askOptions(run, deriveSeed(seed, 'evaluate', 'reward', split))
    const tests = run.strategy.evaluate ? yield* run.relay('eval', run.strategy.evaluate(groups, asked)) : undefined
    const solved = rollouts.filter(({ episode }) => episode.outcome === 1).length
    yield run.log({
      type: 'evaluation',
      split,
      policyVersion: options.policyVersion,
      acc: solved / rollouts.length,
      episodes: rollouts.length,
      ...(tests && { tests }),
    })
  }
}
