/** The events of a task's group of rollouts: its episodes, the reward model's judgements, and the advantages of both models. */
import { advantageEvents } from '../../method/advantages.ts'
import { groupAdvantages } from '../../method/step-judging/advantages.ts'
import { programAdvantages } from '../../method/test-writing/advantages.ts'
import type { LoggedBody } from '../../method/events.ts'
import type { Settings } from '../../method/settings.ts'
import { verdictOf, type ReleasedGroup } from './groups.ts'

export interface TextLimits {
  /** Longest response, observation or rewrite; longer ones are cut. */
  characters: number
  /** Longest reasoning of a vote. */
  reasoningCharacters: number
}

export function groupEvents(
  group: ReleasedGroup,
  taskId: string,
  step: number,
  settings: Settings,
  { characters, reasoningCharacters }: TextLimits,
): LoggedBody[] {
  const idOf = (rollout: number) => `${step}/${taskId}/${rollout}`
  const events: LoggedBody[] = group.episodes.map((episode, rollout) => ({
    type: 'episode',
    episodeId: idOf(rollout),
    taskId,
    split: 'train',
    rollout,
    // Every step trains both models once.
    policyVersion: step - 1,
    instruction: group.instruction,
    opening: cut(episode.opening, characters),
    steps: episode.steps.map(({ response, command, observation }) => ({
      response: cut(response, characters),
      thought: '',
      command: cut(command, characters),
      observation: cut(observation, characters),
      tokens: [],
      logProbs: [],
      entropies: [],
      trueLabel: null,
      distance: null,
      ...(episode.tests ? { tests: episode.tests } : {}),
    })),
    outcome: episode.outcome,
  }))
  const isTraining = group.candidate === null || group.candidate.isAccepted
  if (group.episodes.some(({ tests }) => tests !== undefined)) {
    return [...events, ...testEvents(group, taskId, step, settings, isTraining, idOf, reasoningCharacters)]
  }
  if (!group.episodes.some(({ steps }) => steps.some(({ votes }) => votes.length > 0))) return events
  for (const [rollout, { steps }] of group.episodes.entries()) {
    events.push({
      type: 'judged',
      episodeId: idOf(rollout),
      rewardVersion: step - 1,
      votes: steps.map(({ votes }) =>
        votes.map(({ score, reasoning }) => ({ score, reasoning: cut(reasoning, reasoningCharacters) })),
      ),
    })
  }
  if (!isTraining) return events
  const trajectories = group.episodes.map(({ outcome, steps }) => ({
    outcome,
    scores: steps.map(({ votes }) => votes.map(({ score }) => score)),
  }))
  events.push(
    ...advantageEvents(
      taskId,
      group.episodes.map((_, rollout) => idOf(rollout)),
      groupAdvantages(trajectories, settings),
    ),
  )
  return events
}

function testEvents(
  group: ReleasedGroup,
  taskId: string,
  step: number,
  settings: Settings,
  isTraining: boolean,
  idOf: (rollout: number) => string,
  reasoningCharacters: number,
): LoggedBody[] {
  const { written, episodes } = group
  const isReadable = (test: number) => written?.tests[test]?.test !== null
  const passed = episodes.map((_, program) =>
    (written?.tests ?? []).map((_test, test) =>
      isReadable(test) ? (written?.passed[program]?.[test] ?? false) : null,
    ),
  )
  const events: LoggedBody[] = []
  if (written) {
    events.push({
      type: 'tests-written',
      taskId,
      split: 'train',
      rewardVersion: step - 1,
      tests: written.tests.map((test) => ({ ...test, reasoning: cut(test.reasoning, reasoningCharacters) })),
      episodeIds: episodes.map((_, rollout) => idOf(rollout)),
      results: passed.map((row) => row.map((isPassed) => (isPassed === null ? null : verdictOf(isPassed)))),
    })
  }
  if (!isTraining) return events
  const programs = episodes.map(({ outcome, tests = [] }) => ({
    outcome,
    passRatio: tests.length > 0 ? tests.filter((test) => test.passed).length / tests.length : 0,
  }))
  const episodeIds = episodes.map((_, rollout) => idOf(rollout))
  events.push(...advantageEvents(taskId, episodeIds, programAdvantages({ programs, passed }, settings)))
  return events
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`
}
