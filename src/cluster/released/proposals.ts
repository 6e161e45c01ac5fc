/**
 * Pending rewrites in the release's files: `pending` in AlfWorld's env_state-node*.json, the lists env_pending-*.json of coding, and
 * the `temp` list of OSWorld's manifests with the files that it names. Rejected rewrites leave no trace there, so they are recorded
 * when they are proposed.
 */
import type { Direction, Task } from '../../method/ports.ts'
import { asFields, gameKind, gameName, listIn, numberIn, rewrittenId, textIn } from './groups.ts'

export interface ReleasedProposal {
  rootId: string
  /** Null means the root's active version. */
  parentId: string | null
  direction: Direction
  accuracy: number
  createdStep: number
  criticSummary: string
  /** The author's text. */
  text: string
  candidate: Task
}

/** A candidate is proposed once, so its id names the proposal. */
export function proposalIdOf(candidateId: string): string {
  return `rewrite:${candidateId}`
}

export function alfworldProposals(state: unknown): ReleasedProposal[] {
  return listIn(asFields(state), 'pending').flatMap((value) => {
    const entry = asFields(value)
    const gameId = textIn(entry, 'temp_game_id')
    const created = numberIn(entry, 'created_epoch')
    if (gameId === '' || created === null) return []
    const rootId = gameName(textIn(entry, 'raw_game_id'))
    const parent = textIn(entry, 'parent_active_game_id')
    const summaries = listIn(entry, 'failed_rollout_summaries').map((summary) =>
      typeof summary === 'string' ? summary : textIn(asFields(summary), 'summary'),
    )
    return [
      {
        rootId,
        parentId: parent === '' ? null : gameName(parent),
        direction: directionOf(entry['goal']),
        accuracy: numberIn(entry, 'prev_acc') ?? 0,
        createdStep: created,
        criticSummary: summaries.filter((summary) => summary !== '').join('\n'),
        text: textIn(entry, 'env_full_output'),
        candidate: {
          id: gameName(gameId),
          rootId,
          // The folder's name has the new goal; the game's own text still has the old one (a bug of the release).
          instruction: gameName(gameId).split('/').at(-2) ?? '',
          kind: gameKind(gameId),
          body: {},
        },
      },
    ]
  })
}

export function codingProposals(pending: unknown): ReleasedProposal[] {
  if (!Array.isArray(pending)) return []
  return pending.flatMap((value: unknown) => {
    const entry = asFields(value)
    const created = numberIn(entry, 'created_step')
    if (created === null || entry['slot_id'] === undefined) return []
    const rootId = `problem-${textIn(entry, 'slot_id')}`
    return [
      {
        rootId,
        parentId: null,
        direction: directionOf(entry['goal']),
        accuracy: numberIn(entry, 'prev_acc') ?? 0,
        createdStep: created,
        criticSummary: '',
        text: textIn(entry, 'env_full_output'),
        candidate: {
          id: rewrittenId(rootId, created),
          rootId,
          instruction: textIn(entry, 'question').split('\n', 1)[0]?.slice(0, 200) ?? '',
          kind: 'stdio',
          body: {},
        },
      },
    ]
  })
}

/** `file` is evaluation_examples/<project>/temp/<domain>/<example>.json, proposed in step `createdStep`. */
export function osworldProposal(
  domain: string,
  example: string,
  file: unknown,
  createdStep: number,
): ReleasedProposal | null {
  const entry = asFields(file)
  const accuracy = numberIn(entry, 'pre_acc')
  if (accuracy === null) return null
  const rootId = `${domain}/${example}`
  return {
    rootId,
    parentId: null,
    direction: directionOf(entry['difficulty']),
    accuracy,
    createdStep,
    criticSummary: '',
    text: JSON.stringify(entry['current_task'] ?? {}),
    candidate: {
      id: rewrittenId(rootId, createdStep),
      rootId,
      instruction: currentInstruction(entry),
      kind: domain,
      body: {},
    },
  }
}

/** `current_task` is {evaluator: instruction} with one entry. */
export function currentInstruction(file: unknown): string {
  const [instruction] = Object.values(asFields(asFields(file)['current_task']))
  return typeof instruction === 'string' ? instruction : textIn(asFields(file), 'instruction')
}

function directionOf(goal: unknown): Direction {
  return goal === 'harder' ? 'harder' : 'easier'
}
