/**
 * Measures the reward model on fixed held-out trajectories, which do not change with the policy. It is asked as in training,
 * but with seeds that are the same in every evaluation and every run: equal models give equal numbers, and a frozen reward
 * model, which is therefore asked only once, is a flat line.
 */
import { Ahead } from '../ahead.ts'
import type { EphemeralBody, JudgeEvaluated, LoggedBody } from '../events.ts'
import { replay, type Replayed } from '../judge-evaluation/replay.ts'
import type { FixedTrajectory } from '../judge-evaluation/fixed-trajectory.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions, Bodies } from '../reward-strategy.ts'
import { askOptions } from './reward-phase.ts'
import type { Events, RunContext } from './run-context.ts'

type Measures = Pick<JudgeEvaluated, 'votes' | 'tests'>

/** A measurement whose questions have been sent, before its event is logged. */
export interface JudgeMeasurement {
  asked: AskOptions
  measures: Ahead<LoggedBody | EphemeralBody, Measures>
}

/**
 * Starts the measurement, which may run beside that of held-out tasks. Null without trajectories, and while nothing reads the reward
 * model.
 */
export function startJudgeEvaluation(run: RunContext): JudgeMeasurement | null {
  const { request, settings, state, strategy } = run
  const trajectories = ofFirstTasks(request.fixedTrajectories ?? [], settings.judgeTasks)
  if (trajectories.length === 0 || !strategy.isRead(settings, run.trains)) return null
  const asked = askOptions(run, deriveSeed('fixed trajectories'))
  const last = state.judgeEvaluation
  const isKnown =
    last?.rewardVersion === asked.rewardVersion &&
    last.tasks === settings.judgeTasks &&
    last.evaluationsPerStep === asked.evaluationsPerStep &&
    last.temperature === asked.temperature &&
    (last.voteFlips ?? 0) === settings.voteFlips
  async function* measure(): Bodies<Measures> {
    return isKnown ? last : yield* strategy.measure(await replayed(run, trajectories), asked)
  }
  return { asked, measures: new Ahead(measure()) }
}

export async function* finishJudgeEvaluation(run: RunContext, { asked, measures }: JudgeMeasurement): Events<void> {
  const { judgeTasks, voteFlips } = run.settings
  const { rewardVersion, evaluationsPerStep, temperature } = asked
  run.signal?.throwIfAborted()
  const { votes, tests } = yield* run.relay('eval', measures.read())
  yield run.log({
    type: 'judge-evaluation',
    ...{ rewardVersion, evaluationsPerStep, temperature, tasks: judgeTasks },
    ...(voteFlips > 0 && { voteFlips }),
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
