/** Updates both models at the same time. Logs the policy first, whichever finishes first. */
import {
  LEARNERS,
  learningRate,
  trainingExamples,
  updateModels,
  type AdvantagedGroup,
  type Learner,
} from '../learning.ts'
import type { RoleUpdate } from '../metrics.ts'
import { deriveSeed } from '../random.ts'
import { rewardEntropy } from '../reward-strategy.ts'
import { policyEntropy } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

export async function* updateLearners(
  run: RunContext,
  training: readonly AdvantagedGroup[],
): Events<Record<Learner, RoleUpdate>> {
  const { settings, state, ports, signal } = run
  const seed = deriveSeed(settings.seed, run.iteration, 'update')
  const examples = trainingExamples(training, settings, seed)
  for (const learner of LEARNERS) {
    if (!run.trains(learner)) examples[learner] = []
    if (examples[learner].length > 0)
      yield run.show({ type: 'progress', phase: `update-${learner}`, done: 0, total: 1 })
  }
  const start = ports.now()
  const results = await updateModels(ports, examples, settings, signal)
  run.addTime('update', ports.now() - start)
  signal?.throwIfAborted()

  for (const learner of LEARNERS) {
    const result = results[learner]
    if (!result) continue
    run.addTime(`update_${learner}`, result.durationMs)
    if (result.syncMs !== null) run.addTime(`sync_${learner}`, result.syncMs)
    const version = 1 + (learner === 'policy' ? state.policyVersion : state.rewardVersion)
    yield run.show({ type: 'progress', phase: `update-${learner}`, done: 1, total: 1 })
    yield run.log({
      type: 'model-updated',
      role: learner,
      version,
      examples: examples[learner].length,
      metrics: result.metrics,
    })
  }
  const groups = training.map(({ group }) => group)
  const update = (learner: Learner, sampledEntropy: number | null): RoleUpdate => ({
    metrics: results[learner]?.metrics ?? null,
    learningRate: run.trains(learner) ? learningRate(learner, settings) : 0,
    sampledEntropy,
  })
  return { policy: update('policy', policyEntropy(groups)), reward: update('reward', rewardEntropy(groups)) }
}
