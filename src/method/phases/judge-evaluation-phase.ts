/**
 * Measures the reward model on fixed held-out trajectories, which do not change with the policy. It is asked as in training,
 * but with seeds that are the same in every evaluation and every run: equal models give equal numbers, and a frozen reward
 * model, which is therefore asked only once, is a flat line.
 */
import { replay, type Replayed } from '../judge-evaluation/replay.ts'
import type { FixedTrajectory } from '../judge-evaluation/fixed-trajectory.ts'
import { deriveSeed } from '../random.ts'
import { askOptions } from './reward-phase.ts'
import type { Events, RunContext } from './run-context.ts'

/** No-op without trajectories, and while nothing reads the reward model. */
export async function* evaluateJudge(run: RunContext): Events<void> {
  const { request, settings, state, strategy } = run
  const trajectories = ofFirstTasks(request.fixedTrajectories ?? [], settings.judgeTasks)
  if (trajectories.length === 0 || !strategy.isRead(settings, run.trains)) return
  run.signal?.throwIfAborted()
  const asked = askOptions(run, deriveSeed('fixed trajectories'))
  const { evaluationsPerStep, temperature, rewardVersion } = asked
  const last = state.judgeEvaluation
  const isKnown =
    last?.rewardVersion === rewardVersion &&
    last.evaluationsPerStep === evaluationsPerStep &&
    last.temperature === temperature &&
    (last.voteFlips ?? 0) === settings.voteFlips
  const { votes, tests } = isKnown
    ? last
    : yield* run.relay('eval', strategy.measure(await replayed(run, trajectories), asked))
  yield run.log({
    type: 'judge-evaluation',
    ...{ rewardVersion, evaluationsPerStep, temperature, tasks: settings.judgeTasks },
    ...(settings.voteFlips > 0 && { voteFlips: settings.voteFlips }),
    ...(votes && { votes }),
    ...(tests && { tests }),
  })
}

const replays = new WeakMap<RunContext, readonly Replayed[]>()

/** Trajectories never change, so they are played again once. */
async function replayed(run: RunContext, trajectories: readonly FixedTrajectory[]): Promise<readonly Replayed[]> {
  const known = replays.get(run)
  if (known) return known
  const played = await replay(run.ports.environment, trajectories)
  replays.set(run, played)
  return played
}

/** Trajectories of the first tasks of each split. */
function ofFirstTasks(trajectories: readonly FixedTrajectory[], count: number): FixedTrajectory[] {
  const counted = { id: new Set<string>(), ood: new Set<string>() }
  return trajectories.filter(({ split, task }) => {
    if (counted[split].size < count) counted[split].add(task.id)
    return counted[split].has(task.id)
  })
}
