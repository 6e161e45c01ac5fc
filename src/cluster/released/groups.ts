/**
 * Reads a task's group of rollouts from the release's dumps into one shape for all three systems: `outputs-*.json` of AlfWorld and
 * coding, `rl_rollout_results.json` with `rl_reward_rollout_results.json` of OSWorld. Any field may be missing.
 *
 * A task's name shows its origin, not a path: rewritten AlfWorld games move from `temp_train` to `syn_train` when they are accepted
 * (alfworld_utils.py:737-763), so both are `rewritten/…` here.
 */
import type { Evaluation, GeneratedTest } from '../../method/events.ts'
import type { Direction, Outcome, Score, TestResult } from '../../method/ports.ts'

export interface ReleasedStep {
  response: string
  command: string
  observation: string
  /** Empty if there is no judgement. */
  votes: Evaluation[]
}

export interface ReleasedEpisode {
  opening: string
  outcome: Outcome
  steps: ReleasedStep[]
  /** Ground-truth tests of a program. */
  tests?: TestResult[]
}

export interface ReleasedGroup {
  /** Id of the original task. */
  rootId: string
  /** Null if the dump does not say which version of the root this is. */
  taskId: string | null
  instruction: string
  kind: string
  /** Set if the task is a candidate that is being measured. */
  candidate: {
    direction: Direction
    accuracyBefore: number
    createdStep: number
    parentId: string | null
    isAccepted: boolean
  } | null
  episodes: ReleasedEpisode[]
  written: { tests: GeneratedTest[]; /** passed[program][test] */ passed: boolean[][] } | null
}

export type Fields = Readonly<Record<string, unknown>>

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

export function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

export function numberIn(fields: Fields, name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** "my_run/temp_train/a/b/game.tw-pddl" -> "rewritten/a/b"; "train/a/b/game.tw-pddl" -> "train/a/b". */
export function gameName(gameId: string): string {
  return gameId.replace(/\/game\.tw-pddl$/, '').replace(/^[^/]+\/(?:temp|syn)_train\//, 'rewritten/')
}

/** "train/pick_and_place_simple-Mug-None-Desk-308/trial_…" -> "pick_and_place_simple" */
export function gameKind(gameId: string): string {
  return gameName(gameId).split('/').at(-2)?.split('-')[0] ?? ''
}

/** An item of AlfWorld's outputs; null if it has no episodes. */
export function alfworldGroup(value: unknown): ReleasedGroup | null {
  const item = asFields(value)
  const gameId = textIn(item, 'game_id')
  const outcomes = listIn(item, 'if_success')
  if (gameId === '' || outcomes.length === 0) return null
  const episodes = outcomes.map((won, rollout) => alfworldEpisode(item, rollout, won === 1 ? 1 : -1))
  const rootId = gameName(textIn(item, 'raw_game_id') || gameId)
  return {
    rootId,
    taskId: gameName(gameId),
    instruction: instructionIn(episodes) || textIn(item, 'task'),
    kind: gameKind(gameId),
    candidate: item['source'] === 'pending' ? candidateOf(item, 'created_epoch') : null,
    episodes,
    written: null,
  }
}

function alfworldEpisode(item: Fields, rollout: number, outcome: Outcome): ReleasedEpisode {
  const visited = rowOf(item, 'trajectory', rollout).map(asFields)
  const responses = rowOf(item, 'response', rollout)
  const scores = rowOf(item, 'extracted_reward', rollout)
  const reasons = rowOf(item, 'reward_response', rollout)
  const first = visited[0] ? textIn(visited[0], 'obs') : ''
  const opening = listIn(item, 'init_obs')[rollout]
  return {
    opening: typeof opening === 'string' && opening !== '' ? opening : first,
    outcome,
    steps: responses.map((response, step) => ({
      response: typeof response === 'string' ? response : '',
      command: visited[step] ? textIn(visited[step], 'act') : '',
      // A command's result is in the next entry.
      observation: visited[step + 1] ? textIn(visited[step + 1] ?? {}, 'obs') : '',
      votes: votesOf(scores[step], reasons[step]),
    })),
  }
}

function instructionIn(episodes: readonly ReleasedEpisode[]): string {
  for (const { opening } of episodes) {
    const match = /Your task is to:?\s*([^\n]+)/.exec(opening)
    if (match?.[1]) return match[1].trim()
  }
  return ''
}

/** An item of the coding outputs. */
export function codingGroup(value: unknown): ReleasedGroup | null {
  const item = asFields(value)
  const results = listIn(item, 'correctness')
  if (results.length === 0 || item['slot_id'] === undefined) return null
  const question = textIn(item, 'question')
  const rootId = `problem-${textIn(item, 'slot_id')}`
  const isCandidate = item['source'] === 'temp'
  const candidate = isCandidate ? candidateOf(item, 'created_step') : null
  return {
    rootId,
    taskId: candidate ? rewrittenId(rootId, candidate.createdStep) : null,
    instruction: question.split('\n', 1)[0]?.slice(0, 200) ?? '',
    kind: 'stdio',
    candidate,
    episodes: results.map((row, program) => program_(item, question, row, program)),
    written: writtenTests(item),
  }
}

function program_(item: Fields, question: string, row: unknown, program: number): ReleasedEpisode {
  const passed = Array.isArray(row) ? row.map(Boolean) : []
  const response = listIn(item, 'full_output')[program]
  const command = listIn(item, 'extracted_output')[program]
  return {
    opening: question,
    // As in the release, a row without tests is not a success (llm_rl_reward.py:38-40).
    outcome: passed.length > 0 && passed.every(Boolean) ? 1 : -1,
    steps: [
      {
        response: typeof response === 'string' ? response : '',
        command: typeof command === 'string' ? command : '',
        observation: '',
        votes: [],
      },
    ],
    tests: passed.map(verdictOf),
  }
}

export function verdictOf(passed: boolean): TestResult {
  return { passed, verdict: passed ? 'passed' : 'not passed', detail: '' }
}

function writtenTests(item: Fields): ReleasedGroup['written'] {
  const inputs = listIn(item, 'syn_input')
  const outputs = listIn(item, 'syn_output')
  if (inputs.length === 0) return null
  const words = listIn(item, 'syn_full_output')
  return {
    tests: inputs.map((input, index) => {
      const output = outputs[index]
      const isReadable = typeof input === 'string' && typeof output === 'string' && input !== '' && output !== ''
      const reasoning = words[index]
      return {
        reasoning: typeof reasoning === 'string' ? reasoning : '',
        test: isReadable ? { input, output } : null,
        isTrue: null,
      }
    }),
    passed: listIn(item, 'syn_correctness').map((row) =>
      inputs.map((_, test) => Array.isArray(row) && Boolean(row[test])),
    ),
  }
}

/** OSWorld's judgements by task and run: votes[step]. */
export type OsworldVotes = Map<string, Evaluation[][]>

export function osworldVotesInto(votes: OsworldVotes, value: unknown): void {
  const item = asFields(value)
  for (const entry of listIn(item, 'trajctory_list').map(asFields)) {
    const reasons = listIn(entry, 'response')
    const key = voteKey(item, entry)
    votes.set(
      key,
      listIn(entry, 'extracted_reward').map((scores, step) => votesOf(scores, reasons[step])),
    )
  }
}

function voteKey(item: Fields, run: Fields): string {
  return `${textIn(item, 'domain')}/${textIn(item, 'example')}/${textIn(run, 'run_id')}`
}

/** A rewrite in OSWorld's other files: the candidate's file, and the history in the task's file. */
export interface OsworldTaskFiles {
  isActive: boolean
  instruction: string
  candidate: ReleasedGroup['candidate']
}

/** An item of OSWorld's rollouts. */
export function osworldGroup(
  value: unknown,
  votes: OsworldVotes,
  filesOf: (domain: string, example: string) => OsworldTaskFiles,
): ReleasedGroup | null {
  const item = asFields(value)
  const domain = textIn(item, 'domain')
  const example = textIn(item, 'example')
  const runs = listIn(item, 'trajctory_list').map(asFields)
  if (domain === '' || example === '' || runs.length === 0) return null
  const rootId = `${domain}/${example}`
  const files = filesOf(domain, example)
  const candidate = files.isActive ? null : files.candidate
  return {
    rootId,
    taskId: candidate ? rewrittenId(rootId, candidate.createdStep) : null,
    instruction: files.instruction,
    kind: domain,
    candidate,
    episodes: runs.map((run) => {
      const judged = votes.get(voteKey(item, run)) ?? []
      return {
        opening: files.instruction,
        // Any score above 0 is a success (osworld_rl_reward.py:232-237).
        outcome: Number(run['result']) > 0 ? 1 : -1,
        steps: listIn(run, 'response').map((response, step) => ({
          response: typeof response === 'string' ? response : (JSON.stringify(response) ?? ''),
          command: actionIn(response),
          observation: '',
          votes: judged[step] ?? [],
        })),
      }
    }),
    written: null,
  }
}

/** "Action: Click the button.\n<tool_call>…" -> "Click the button." */
function actionIn(response: unknown): string {
  if (typeof response !== 'string') return ''
  return /^\s*Action:\s*([^\n]+)/m.exec(response)?.[1]?.trim() ?? ''
}

export function rewrittenId(rootId: string, createdStep: number): string {
  return `${rootId}@${createdStep}`
}

function candidateOf(item: Fields, createdName: string): ReleasedGroup['candidate'] {
  const goal = item['goal']
  const parent = textIn(item, 'parent_active_game_id')
  return {
    direction: goal === 'harder' ? 'harder' : 'easier',
    accuracyBefore: numberIn(item, 'prev_acc') ?? 0,
    createdStep: numberIn(item, createdName) ?? 0,
    parentId: parent === '' ? null : gameName(parent),
    isAccepted: item['temp_accept'] === true,
  }
}

function rowOf(item: Fields, name: string, rollout: number): readonly unknown[] {
  const row = listIn(item, name)[rollout]
  return Array.isArray(row) ? row : []
}

function votesOf(scores: unknown, reasons: unknown): Evaluation[] {
  if (!Array.isArray(scores)) return []
  return scores.map((score: unknown, index) => {
    const reason: unknown = Array.isArray(reasons) ? reasons[index] : undefined
    return { score: scoreOf(score), reasoning: typeof reason === 'string' ? reason : '' }
  })
}

function scoreOf(value: unknown): Score {
  return value === 1 ? 1 : value === -1 ? -1 : 0
}
