/**
 * Measures held-out tasks at two temperatures, always both: the evaluation temperature says what the policy can do (0, greedy,
 * as in the paper), the training temperature what it does while it learns. Equal temperatures need one pass.
 *
 *                        programs or episodes                 tests, if the reward model writes them
 *     greedy             one a task: all would be the same    one a problem, written greedily
 *     training           `evaluationRollouts` a task          m a problem, at the reward model's temperature
 *
 * Detect needs wrong programs beside right ones, and greedy programs of a task are all the same. So both kinds of tests are
 * tried on the programs of the training temperature.
 *
 * Tasks and random numbers are the same every time, so two evaluations differ only by their models. A reward model that nothing
 * reads, as in plain GRPO, is not asked for tests here either.
 */
import { accuracyByDomain } from '../domain-accuracy.ts'
import type { EvaluationFinished } from '../events.ts'
import type { Task } from '../ports.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions } from '../reward-strategy.ts'
import { rollOut, type EpisodeRequest, type Rollout } from '../rollout.ts'
import type { Settings } from '../settings.ts'
import type { TaskGroup } from '../task-group.ts'
import { askOptions } from './reward-phase.ts'
import { rolloutOptions } from './rollout-phase.ts'
import type { Events, RunContext } from './run-context.ts'

interface Pass {
  serves: NonNullable<EvaluationFinished['serves']>
  temperature: number
  /** Rollouts for each task. */
  rollouts: number
}

/** The pass at the training temperature is the first. */
function passesOf({ policyTemperature, evaluationTemperature, evaluationRollouts }: Settings): Pass[] {
  const sampled = { temperature: policyTemperature, rollouts: evaluationRollouts }
  if (evaluationTemperature === policyTemperature) return [{ ...sampled, serves: 'both' }]
  const rollouts = evaluationTemperature === 0 ? 1 : evaluationRollouts
  return [
    { ...sampled, serves: 'training' },
    { temperature: evaluationTemperature, rollouts, serves: 'evaluation' },
  ]
}

export async function* evaluateHeldOut(run: RunContext): Events<void> {
  const { seed, evaluationTasks } = run.settings
  if (evaluationTasks === 0) return
  const { evaluate } = run.strategy
  const isRead = run.strategy.isRead(run.settings, run.trains)
  for (const split of ['id', 'ood'] as const) {
    run.signal?.throwIfAborted()
    const tasks = await run.ports.environment.sampleTasks(split, evaluationTasks, deriveSeed(seed, 'tasks', split))
    if (tasks.length === 0) continue
    let programs: readonly TaskGroup[] | null = null
    for (const pass of passesOf(run.settings)) {
      const rollouts = yield* playHeldOut(run, split, tasks, pass)
      const groups = groupsOf(tasks, rollouts, pass)
      programs ??= groups
      const asked = testOptions(run, split, pass)
      const tests = isRead && evaluate ? yield* run.relay('eval', evaluate(programs, asked)) : undefined
      const domains = accuracyByDomain(groups)
      yield run.log({
        type: 'evaluation',
        split,
        policyVersion: run.state.policyVersion,
        acc: rollouts.filter(({ episode }) => episode.outcome === 1).length / rollouts.length,
        ...(Object.keys(domains).length > 0 && { domains }),
        episodes: rollouts.length,
        temperature: pass.temperature,
        serves: pass.serves,
        ...(tests && { tests }),
      })
    }
  }
}

async function* playHeldOut(
  run: RunContext,
  split: 'id' | 'ood',
  tasks: readonly Task[],
  pass: Pass,
): Events<Rollout[]> {
  const { iteration, settings } = run
  const name = pass.serves === 'evaluation' ? `${split}@${pass.temperature}` : split
  const requests = tasks.flatMap((task, index) =>
    Array.from({ length: pass.rollouts }, (_, rollout): EpisodeRequest => ({
      episodeId: `e${iteration}/${name}/${index}${pass.rollouts > 1 ? `/${rollout}` : ''}`,
      task,
      split,
      rollout,
    })),
  )
  const options = rolloutOptions(run)
  return yield* run.relay(
    'eval',
    rollOut(run.ports, requests, {
      ...options,
      maxSteps: settings.evaluationMaxSteps || options.maxSteps,
      temperature: pass.temperature,
      seed: deriveSeed(settings.seed, 'evaluate', split),
      // So that the first rollout draws the same numbers as a single one.
      seedKey: ({ task, rollout }) => (rollout === 0 ? task.id : `${task.id}/${rollout}`),
      showSteps: false,
    }),
  )
}

function groupsOf(tasks: readonly Task[], rollouts: readonly Rollout[], pass: Pass): TaskGroup[] {
  return tasks.map((task, index) => ({
    task,
    pending: null,
    rollouts: rollouts.slice(index * pass.rollouts, (index + 1) * pass.rollouts),
  }))
}

/** Tests are written at the pass's own temperature. Greedy ones are all equal, so one is enough. */
function testOptions(run: RunContext, split: 'id' | 'ood', { serves, temperature }: Pass): AskOptions {
  const asked = askOptions(run, deriveSeed(run.settings.seed, 'evaluate', 'reward', split))
  if (serves !== 'evaluation') return asked
  return { ...asked, temperature, evaluationsPerStep: temperature === 0 ? 1 : asked.evaluationsPerStep }
}
