/**
 * Reads the dumps of a step while they exist: the release overwrites them in every step, and OSWorld deletes more. A dump does not
 * name its step, so its accuracy is compared with the step's line of results.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../method/settings.ts'
import type { ReleasedSystem } from '../protocol.ts'
import type { ConfigTree } from '../released/defaults.ts'
import {
  alfworldGroup,
  asFields,
  codingGroup,
  listIn,
  numberIn,
  osworldGroup,
  osworldVotesInto,
  textIn,
  type OsworldTaskFiles,
  type OsworldVotes,
  type ReleasedGroup,
} from '../released/groups.ts'
import { textAt } from '../released/mapping.ts'
import {
  alfworldProposals,
  codingProposals,
  currentInstruction,
  osworldProposal,
  type ReleasedProposal,
} from '../released/proposals.ts'
import type { ResultsLine } from '../released/results.ts'
import { StepMeasures } from '../released/step-measures.ts'
import type { StepSnapshot } from '../released/translator.ts'
import { jsonItems } from './json-items.ts'

/** The dump belongs to another step, or does not exist. */
export class OtherDumpError extends Error {
  override readonly name = 'OtherDumpError'
}

export interface DumpSource {
  system: ReleasedSystem
  checkout: string
  project: string
  config: ConfigTree
  groupsPerStep: number
}

/** Rounding of the printed accuracies. */
const ROUNDING: Record<ReleasedSystem, number> = { alfworld: 1e-9, coding: 1e-6, osworld: 1e-4 }
const NAME = /^[\w-]+$/

/**
 * Reads the dumps that belong to a line of results. `proposalOf` returns a root's open proposal. Throws TornJsonError while a dump is
 * being written, and OtherDumpError if the step's dump is gone.
 */
export async function readStep(
  source: DumpSource,
  line: ResultsLine,
  settings: Settings,
  proposalOf: (rootId: string) => { createdStep: number; accuracy: number } | null,
): Promise<StepSnapshot> {
  const measures = new StepMeasures(settings)
  const snapshot: StepSnapshot = { taskIds: [], groups: [], resolved: [], metrics: {} }
  const active = source.system === 'osworld' ? osworldActive(source) : null
  const groupOf = await groupReader(source, line, active, proposalOf)
  const path = trainingDump(source, line.step)
  if (!existsSync(path)) throw new OtherDumpError('The dump of its rollouts does not exist.')
  for await (const item of jsonItems(path)) {
    const group = groupOf(item)
    if (group === null) continue
    measures.add(group)
    snapshot.taskIds.push({ rootId: group.rootId, taskId: group.taskId, isCandidate: group.candidate !== null })
    if (snapshot.groups.length < source.groupsPerStep) snapshot.groups.push(group)
    if (group.candidate) {
      // The other groups count only by their outcomes.
      snapshot.resolved.push({ ...group, episodes: group.episodes.map((episode) => ({ ...episode, steps: [] })) })
    }
  }
  const [won, played] =
    source.system === 'osworld' ? [measures.activeWon, measures.activePlayed] : [measures.won, measures.played]
  const acc = played > 0 ? won / played : 0
  if (Math.abs(acc - line.acc) > ROUNDING[source.system]) {
    throw new OtherDumpError(
      `The dump has accuracy ${acc.toFixed(4)} and the step ${line.acc.toFixed(4)}, so it belongs to another step.`,
    )
  }
  snapshot.metrics = measures.metrics()
  return snapshot
}

async function groupReader(
  source: DumpSource,
  line: ResultsLine,
  active: ReadonlySet<string> | null,
  proposalOf: (rootId: string) => { createdStep: number; accuracy: number } | null,
): Promise<(item: unknown) => ReleasedGroup | null> {
  if (source.system === 'alfworld') return alfworldGroup
  if (source.system === 'coding') return codingGroup
  const votes: OsworldVotes = new Map()
  const judged = join(dataFolder(source), 'rl_reward_rollout_results.json')
  if (existsSync(judged)) for await (const item of jsonItems(judged)) osworldVotesInto(votes, item)
  const filesOf = (domain: string, example: string): OsworldTaskFiles => {
    const rootId = `${domain}/${example}`
    const file = readJson(osworldTask(source, 'train', domain, example))
    const isActive = active === null || active.has(rootId)
    const proposal = proposalOf(rootId)
    const accepted = listIn(asFields(file), 'history')
      .map(asFields)
      .find((entry) => entry['epoch'] === line.step)
    return {
      isActive,
      instruction: currentInstruction(file),
      candidate: isActive
        ? null
        : {
            direction:
              (accepted ? textIn(accepted, 'difficulty') : directionOf(proposal?.accuracy ?? 0)) === 'harder'
                ? 'harder'
                : 'easier',
            accuracyBefore: (accepted ? numberIn(accepted, 'pre_acc') : null) ?? proposal?.accuracy ?? 0,
            createdStep: proposal?.createdStep ?? line.step - 1,
            parentId: null,
            isAccepted: accepted !== undefined,
          },
    }
  }
  return (item) => osworldGroup(item, votes, filesOf)
}

/** The release's rule, for a candidate whose file does not name its direction (osworld_rl_reward.py:377). */
function directionOf(accuracy: number): string {
  return accuracy >= 0.5 ? 'harder' : 'easier'
}

/** Number of episodes in an evaluation; 0 if its dump cannot be read. */
export async function countEvaluation(source: DumpSource, step: number): Promise<number> {
  let episodes = 0
  try {
    for await (const item of jsonItems(evaluationDump(source, step))) {
      const fields = asFields(item)
      const list =
        source.system === 'alfworld' ? 'if_success' : source.system === 'coding' ? 'correctness' : 'trajctory_list'
      episodes += listIn(fields, list).length
    }
    return episodes
  } catch {
    return 0
  }
}

/** Pending rewrites that were proposed in `step` or before. */
export function readProposals(source: DumpSource, step: number): ReleasedProposal[] {
  const all = proposalsOf(source, step)
  return all.filter(({ createdStep }) => createdStep <= step)
}

function proposalsOf(source: DumpSource, step: number): ReleasedProposal[] {
  switch (source.system) {
    case 'alfworld': {
      const folder = join(textAt(source.config, 'dataset.environment_data_dir'), 'json_2.1.1', source.project)
      return filesIn(folder, /^env_state(-node\d+)?\.json$/).flatMap((file) => alfworldProposals(readJson(file)))
    }
    case 'coding': {
      const prefix = textAt(source.config, 'dataset.env_pending_prefix')
      return filesIn(dataFolder(source), /\.json$/)
        .filter((file) => file.slice(dataFolder(source).length + 1).startsWith(`${prefix}-`))
        .flatMap((file) => codingProposals(readJson(file)))
    }
    case 'osworld': {
      // Old candidates stay in the list until the new ones are written; they are never among the active tasks.
      const active = osworldActive(source) ?? new Set<string>()
      const names = new Set(manifests(source).flatMap((manifest) => namesIn(manifest, 'temp')))
      return [...names].flatMap((name) => {
        const [domain = '', example = ''] = name.split('/')
        if (!active.has(name)) return []
        const proposal = osworldProposal(domain, example, readJson(osworldTask(source, 'temp', domain, example)), step)
        return proposal === null ? [] : [proposal]
      })
    }
  }
}

/** Results files of a run: training and evaluation, for the first step's model and for the trained one. */
export function resultsFiles(source: DumpSource): { path: string; isEvaluation: boolean }[] {
  const folder = join(source.checkout, source.project, 'results')
  return filesIn(folder, /\.txt$/).flatMap((path): { path: string; isEvaluation: boolean }[] => {
    const name = path.slice(folder.length + 1)
    if (/^(results-eval-|eval-results)/.test(name)) return [{ path, isEvaluation: true }]
    if (/^(results-rl-|rl-results)/.test(name)) return [{ path, isEvaluation: false }]
    return []
  })
}

function trainingDump(source: DumpSource, step: number): string {
  if (source.system === 'osworld') return join(dataFolder(source), 'rl_rollout_results.json')
  return join(dataFolder(source), `outputs-rl-${policyTag(source, step)}-${datasetTag(source, false)}.json`)
}

function evaluationDump(source: DumpSource, step: number): string {
  if (source.system === 'osworld') return join(dataFolder(source), 'eval_rollout_results.json')
  return join(dataFolder(source), `outputs-eval-${policyTag(source, step)}-${datasetTag(source, true)}.json`)
}

/** Step 1 uses the model that the run started with (alfworld_rl_reward.py:62-66). */
function policyTag(source: DumpSource, step: number): string {
  const model =
    step === 1
      ? textAt(source.config, 'model.policy_model')
      : `../${source.project}/ckpt/${textAt(source.config, 'model.optimized_name')}`
  return model.replaceAll('/', '.')
}

function datasetTag({ system, config }: DumpSource, isEvaluation: boolean): string {
  const text = (key: string) => textAt(config, key)
  if (system === 'coding') return text(isEvaluation ? 'dataset.eval_dataset' : 'dataset.train_dataset')
  const type = text('dataset.environment_type')
  return isEvaluation ? `${type}-${text('dataset.alfworld_eval_type')}` : type
}

function dataFolder({ checkout, project }: DumpSource): string {
  return join(checkout, project, 'temp_data')
}

/** Names of the active tasks in the rollout; null if no manifest exists. */
function osworldActive(source: DumpSource): Set<string> | null {
  const found = manifests(source)
  if (found.length === 0) return null
  return new Set(
    found.flatMap((manifest) => (Array.isArray(manifest) ? namesOf(manifest) : namesIn(manifest, 'active'))),
  )
}

function manifests(source: DumpSource): unknown[] {
  return filesIn(dataFolder(source), /^example_node_\d+\.json$/)
    .map(readJson)
    .filter((manifest) => manifest !== null)
}

function namesIn(manifest: unknown, list: 'active' | 'temp'): string[] {
  return namesOf(listIn(asFields(manifest), list))
}

function namesOf(entries: readonly unknown[]): string[] {
  return entries.map(asFields).map((entry) => `${textIn(entry, 'domain')}/${textIn(entry, 'example_id')}`)
}

function osworldTask(
  { checkout, project }: DumpSource,
  kind: 'train' | 'temp',
  domain: string,
  example: string,
): string {
  // Names in the dumps are untrusted: they must not lead out of the folder.
  const [folder, file] = [domain, example].map((name) => (NAME.test(name) ? name : 'unreadable'))
  return join(checkout, 'OSWorld-main', 'evaluation_examples', project, kind, folder ?? '', `${file}.json`)
}

function filesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Null if the file is missing or still being written; the next look reads it again. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return null
  }
}
