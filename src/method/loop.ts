/**
 * RLAnything as one async generator of run events: policy, reward model and environment improve one another.
 *
 *     apply patch → choose tasks, add pending candidates → roll out ∥ ask the reward model → feedback, advantages → accept or
 *     reject the candidates → update policy ∥ reward model → propose rewrites → estimate theory → evaluate every k iterations
 *
 * Each phase is a file in `phases`. How the reward model is asked is a RewardStrategy.
 *
 * An accepted candidate's rollouts train at once, a rejected one's never (both as released). While the environment is frozen,
 * candidates stay pending and their slots continue with the old task: frozen means that nothing changes.
 *
 * Determinism: all draws are hashes of (seed, iteration, purpose, ids), the state is a fold of the log (loop-state.ts), and
 * the two updates run at the same time but are logged policy first. The same seed, settings and models give the same log.
 *
 * Stopping: an abort ends the generator with `run-finished`, reason `stopped`. Events of an interrupted iteration stay in the
 * log but no longer count (history.ts). Its models may already have learned, so to resume a run, load the checkpoints of the
 * last `iteration-finished`. An abort while that event is being handled interrupts nothing.
 */
import type { LoopPorts, LoopRequest, RunLoop } from './loop-contract.ts'
import { iterationMetrics } from './metrics.ts'
import { assignAdvantages, decideCandidate } from './phases/advantage-phase.ts'
import { evaluateHeldOut } from './phases/evaluation-phase.ts'
import { finishJudgeEvaluation, startJudgeEvaluation } from './phases/judge-evaluation-phase.ts'
import { askRewardModel, inquire } from './phases/reward-phase.ts'
import { NO_PROPOSALS, proposeCandidates } from './phases/rewrite-phase.ts'
import { rollOutTasks } from './phases/rollout-phase.ts'
import { RunContext, type Events } from './phases/run-context.ts'
import { updateLearners } from './phases/update-phase.ts'
import { deriveSeed } from './random.ts'
import { rewardTokens, type EvaluatedGroup } from './reward-strategy.ts'
import { definedEntries } from './settings.ts'
import { policyTokens } from './task-group.ts'
import { estimateVoteStatistics } from './theory.ts'

export const runLoop: RunLoop = async function* (ports: LoopPorts, request: LoopRequest) {
  const run = new RunContext(ports, request)
  try {
    yield* prepare(run)
    for (let count = 0; count < request.iterations; count++) {
      request.signal?.throwIfAborted()
      yield* iterate(run)
    }
  } catch (error) {
    if (!request.signal?.aborted) throw error
    yield run.log({ type: 'run-finished', reason: 'stopped' })
    return
  }
  yield run.log({ type: 'run-finished', reason: 'completed' })
}

/** Starts a new run: settings, tasks, and an evaluation before anything has learned. A resumed run has these. */
async function* prepare(run: RunContext): Events<void> {
  const { runId, settings, preset, backend, models, worldFile, history, signal } = run.request
  if (!history || history.length === 0) {
    yield run.log({ type: 'run-started', runId, settings, preset, backend, models, ...(worldFile && { worldFile }) })
  }
  const { state } = run
  if (state.iteration > 0) return

  signal?.throwIfAborted()
  const { seed, taskPoolSize, evaluateEvery } = run.settings
  if (state.slots.length < taskPoolSize) {
    const known = new Set(state.slots.map((slot) => slot.original.id))
    const tasks = await run.ports.environment.sampleTasks('train', taskPoolSize, deriveSeed(seed, 'tasks', 'train'))
    for (const task of tasks) {
      if (!known.has(task.id)) yield run.log({ type: 'task-added', task, split: 'train' })
      known.add(task.id)
    }
  }
  if (state.slots.length === 0) {
    throw new Error('The environment has no training tasks, so there is nothing to roll out.')
  }
  if (evaluateEvery === 0) return
  yield* evaluate(run, { heldOut: !state.isEvaluatedAtStart, judge: !state.judgeEvaluation })
}

/** The two measurements run side by side; their events follow one another. */
async function* evaluate(run: RunContext, wanted: { heldOut: boolean; judge: boolean }): Events<void> {
  const judged = wanted.judge ? startJudgeEvaluation(run) : null
  try {
    if (wanted.heldOut) yield* evaluateHeldOut(run)
    if (judged) yield* finishJudgeEvaluation(run, judged)
  } finally {
    await judged?.measures.close()
  }
}

/** The reward model is asked while rollouts are played; that changes no event and no order. */
async function* rollOutAndAsk(run: RunContext): Events<EvaluatedGroup[]> {
  const inquiry = inquire(run)
  try {
    const rolledOut = yield* rollOutTasks(run, inquiry ?? undefined)
    return yield* askRewardModel(run, rolledOut, inquiry)
  } finally {
    await inquiry?.close()
  }
}

async function* iterate(run: RunContext): Events<void> {
  run.startIteration()
  const patch = definedEntries(run.request.takePatch?.() ?? {})
  if (Object.keys(patch).length > 0) yield run.log({ type: 'settings-changed', patch })
  const { settings, state, strategy } = run

  const groups = yield* rollOutAndAsk(run)

  const decisions = groups.map((group) => decideCandidate(run, group))
  const training = yield* assignAdvantages(run, groups, decisions)
  for (const decision of decisions) if (decision) yield run.log(decision)

  const policyVersion = state.policyVersion
  const updates = yield* updateLearners(run, training)
  const proposals = run.trains('environment') ? yield* proposeCandidates(run, groups, policyVersion) : NO_PROPOSALS

  const trajectories = groups.flatMap(({ evidence }) => evidence.trajectories)
  const statistics = estimateVoteStatistics(trajectories, settings, strategy.sharesEvaluations)
  yield run.log({ type: 'theory', ...statistics })
  if (settings.evaluateEvery > 0 && run.iteration % settings.evaluateEvery === 0) {
    yield* evaluate(run, { heldOut: true, judge: true })
  }

  const work = {
    envSteps: trajectories.reduce((steps, { scores }) => steps + scores.length, 0),
    sampledTokens: groups.reduce((total, group) => total + policyTokens(group) + rewardTokens(group), 0),
  }
  const metrics = iterationMetrics({
    iteration: run.iteration,
    settings,
    state,
    groups,
    training,
    trainsPolicy: run.trains('policy'),
    rewardMetrics: strategy.metrics(
      groups.map(({ evidence }) => evidence),
      run.trains('reward') ? training.map(({ group: { evidence }, advantages }) => ({ evidence, advantages })) : [],
    ),
    policyUpdate: updates.policy,
    rewardUpdate: updates.reward,
    ...work,
    ...proposals,
    accepted: decisions.filter((decision) => decision?.accepted).length,
  })
  yield run.timingsEvent(work)
  yield run.log({ type: 'iteration-finished', metrics })
}
