/** Sampling, training and an iteration of the loop with one model on one device, at sizes that grow while the time lasts. */
import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../../language-model/backends/backend.ts'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import { timePrograms } from '../../language-model/backends/webgpu/time-programs.ts'
import type { ModelReader } from '../../language-model/files/model-folder.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import { bytesPerToken } from '../../language-model/weights/memory-budget.ts'
import { PROJECTIONS } from '../../language-model/weights/projection-names.ts'
import { weightBytes } from '../../language-model/weights/weight-storage.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import { randomBatch, randomPrompts } from '../bench-model.ts'
import { householdSettings, householdWorld } from '../household-bench.ts'
import { iterateOnce } from '../loop-iteration.ts'
import { startOwn } from '../own-backend.ts'
import { LEARNING_RATE } from '../subjects.ts'
import { adapterTrainingWork, causalPairs, generationWork, trainingWork } from '../useful-work.ts'
import { repeated, type Share } from './budget.ts'
import type { RecordedIteration } from './recorded-iteration.ts'
import { describeModel, type MeasuredModel } from './model-sizes.ts'
import type { LeftOutRecord, ProgramsRecord, SpeedRecord } from './records.ts'

export interface SpeedSizes {
  /** Prompts sampled from at once, ascending. */
  prompts: readonly number[]
  promptLength: number
  sampled: number
  /** Sequences trained on at once, ascending. */
  sequences: readonly number[]
  length: number
  /** Changes to the household preset, from small to large iterations. */
  iterations: readonly Partial<Settings>[]
}

/** Few tasks are mostly all solved or all failed, and would train nothing. */
export const EVERY_TASK_TRAINS: Partial<Settings> = {
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
  rewardAccuracyLow: 0,
  rewardAccuracyHigh: 1,
}

export const SPEED_SIZES: SpeedSizes = {
  prompts: [1, 16, 64, 256],
  promptLength: 64,
  sampled: 32,
  sequences: [1, 4, 16, 64],
  length: 256,
  iterations: [
    { tasksPerIteration: 1, groupSize: 4, evaluationsPerStep: 1, maxSteps: 4, taskPoolSize: 2, ...EVERY_TASK_TRAINS },
    { tasksPerIteration: 4, groupSize: 8, evaluationsPerStep: 2, maxSteps: 10, taskPoolSize: 8, ...EVERY_TASK_TRAINS },
    {},
  ],
}

export interface SpeedOptions {
  device: BackendName
  model: MeasuredModel
  sizes: SpeedSizes
  /** Opens the files of the model that plays a role. */
  readModel(role: Role): ModelReader
  /** Begins the share of one kind of work; called in this order: sampling, training, iteration. */
  begin(work: SpeedRecord['work']): Share
  /** The calls of an iteration with the shipped models; may select another backend. */
  callsOf(patch: Partial<Settings>): Promise<RecordedIteration>
  clock: () => number
  report(record: SpeedRecord | ProgramsRecord | LeftOutRecord): void
}

type Measured = Pick<SpeedRecord, 'sizes' | 'ms' | 'tokens' | 'operations' | 'bytes' | 'isWarm'>

/** One size of some work, with its cost relative to the other sizes. */
interface Step {
  cost: number
  run(share: Share): Promise<Measured>
}

/** A step of which one call can be looked at. */
interface CallStep extends Step {
  sizes: string
  call(): Promise<void>
}

/** Throws what the device or the model throws, such as ModelTooLargeError; what was measured before is reported. */
export async function measureSpeeds(options: SpeedOptions): Promise<void> {
  const { device, model, sizes } = options
  const { note, use } = await startOwn(device)
  await use()
  const models = await openModels(options)
  try {
    const policy = models.policy
    const calls = {
      sampling: sizes.prompts.map((prompts) => samplingStep(policy, prompts, options)),
      training: sizes.sequences.map((sequences) => trainingStep(policy, sequences, options)),
    }
    for (const work of ['sampling', 'training'] as const) {
      const measured = await grow(work, options, note, calls[work])
      // The first size is too small to fill a device, and the largest may take long.
      if (measured > 1) await reportPrograms(work, options, calls[work][1]!)
    }
    await grow(
      'iteration',
      options,
      note,
      sizes.iterations.map((patch) => iterationStep(models, patch, use, options)),
    )
  } finally {
    for (const opened of new Set(Object.values(models))) await opened.dispose()
  }

  /** One model with random weights plays all roles: each copy would only take more memory. */
  async function openModels({ readModel }: SpeedOptions): Promise<Record<Role, LanguageModel>> {
    const opened: LanguageModel[] = []
    for (const role of ROLES) {
      if (model.configJson !== null && opened.length > 0) break
      const loaded = await LanguageModel.load(readModel(role), 'selected', { storage: model.storage })
      if (model.rank !== null)
        await loaded.attachAdapters({ rank: model.rank, alpha: 2 * model.rank, dropout: 0, targets: PROJECTIONS }, 1)
      opened.push(loaded)
    }
    return Object.fromEntries(ROLES.map((role, i) => [role, opened[i] ?? opened[0]!])) as Record<Role, LanguageModel>
  }
}

/**
 * Runs the steps in turn while the next is expected to fit, at most as much slower as its cost says, and reports the others. Resolves with
 * how many it ran.
 */
async function grow(
  work: SpeedRecord['work'],
  { device, model, begin, report }: SpeedOptions,
  note: string,
  steps: readonly Step[],
): Promise<number> {
  const share = begin(work)
  const described = describeModel(model)
  let last: { cost: number; ms: number } | null = null
  for (const [index, { cost, run }] of steps.entries()) {
    const expectedMs: number = last === null ? 0 : (last.ms * cost) / last.cost
    if (share.leftMs() <= 0 || expectedMs > share.leftMs()) {
      report({
        kind: 'left out',
        what: `${work} with ${described} on ${device === 'cpu' ? 'the CPU' : 'the adapter'}, from size ${index + 1} of ${steps.length} on`,
        why: `The next size would take up to ${seconds(expectedMs)}, and ${seconds(Math.max(0, share.leftMs()))} were left.`,
      })
      return index
    }
    const measured = await run(share)
    report({ kind: 'speed', model: described, device, work, note, ...measured })
    last = { cost, ms: measured.ms }
  }
  return steps.length
}

/** Reports where the device's time goes, if it has a clock. */
async function reportPrograms(
  work: ProgramsRecord['work'],
  { device, model, report }: SpeedOptions,
  { sizes, call }: CallStep,
): Promise<void> {
  if (device !== 'webgpu') return
  const backend = tf.backend() as GpuBackend
  if (!backend.device.features.has('timestamp-query')) return
  const { times } = await timePrograms(backend, call)
  report({ kind: 'programs', model: describeModel(model), work, sizes, times })
}

function samplingStep(policy: LanguageModel, count: number, { sizes, model, clock }: SpeedOptions): CallStep {
  const { promptLength, sampled } = sizes
  const { config } = policy
  const prompts = randomPrompts(config, count, promptLength)
  let seed = 0
  let tokens = 0
  const run = async (calls: number) => {
    tokens = 0
    for (let call = 0; call < calls; call++) {
      // Other first tokens than before, so that nothing is cached.
      const fresh = prompts.map((prompt) => Int32Array.from(prompt, (token) => (token + seed) % config.vocabularySize))
      const requests = fresh.map((prompt) => ({ prompt, count: 1, seed: seed++ }))
      const completions = await policy.generate(requests, { temperature: 1, topP: 1, maxTokens: sampled })
      for (const { tokens: drawn } of completions.flat()) tokens += drawn.length / calls
    }
  }
  const described = `${count} ${count === 1 ? 'prompt' : 'prompts'} of ${promptLength}, ${sampled} sampled`
  return {
    cost: count,
    sizes: described,
    call: () => run(1),
    async run(share) {
      const { bestMs, isWarm } = await repeated(run, share, clock)
      // A completion that ends early leaves its work undone.
      const done = tokens / (count * sampled)
      const reads = count * causalPairs(sampled, promptLength)
      return {
        sizes: described,
        ms: bestMs,
        tokens,
        isWarm,
        operations: done * generationWork(config, count, promptLength, sampled),
        bytes: sampled * weightBytes(config, model.storage) + done * reads * bytesPerToken(config).cached,
      }
    },
  }
}

function trainingStep(policy: LanguageModel, sequences: number, { sizes, model, clock }: SpeedOptions): CallStep {
  const { config } = policy
  const { length } = sizes
  const { tokens, targets } = randomBatch(config, sequences, length)
  // The first token is the prompt; the model learns all others.
  const examples = Array.from({ length: sequences }, (_, row) => ({
    prompt: tokens.subarray(row * length, row * length + 1),
    response: targets.subarray(row * length, (row + 1) * length),
  }))
  const run = async (calls: number) => {
    for (let call = 0; call < calls; call++) await policy.fit(examples, { learningRate: LEARNING_RATE })
    // The update itself is only queued; sampling a token waits for it.
    await policy.generate([{ prompt: Int32Array.of(1), count: 1, seed: 1 }], { temperature: 0, topP: 1, maxTokens: 1 })
  }
  const described = `${sequences} × ${length} tokens`
  return {
    cost: sequences,
    sizes: described,
    call: () => run(1),
    async run(share) {
      const { bestMs, isWarm } = await repeated(run, share, clock)
      return {
        sizes: described,
        ms: bestMs,
        tokens: sequences * length,
        isWarm,
        operations: (model.rank === null ? trainingWork : adapterTrainingWork)(config, sequences, length),
      }
    },
  }
}

/** An iteration with the shipped models; or, with others, the calls of such an iteration. */
function iterationStep(
  models: Record<Role, LanguageModel>,
  patch: Partial<Settings>,
  use: () => Promise<void>,
  { model, callsOf, clock }: SpeedOptions,
): Step {
  const settings = householdSettings(patch)
  const { tasksPerIteration, groupSize, evaluationsPerStep, maxSteps } = settings
  const about = (sampled: number, trained: number) =>
    `${tasksPerIteration} ${tasksPerIteration === 1 ? 'task' : 'tasks'}, G ${groupSize}, m ${evaluationsPerStep}, at most ${maxSteps} steps; ${sampled} tokens sampled, ${trained} trained`
  return {
    cost: tasksPerIteration * groupSize * maxSteps * (1 + evaluationsPerStep),
    async run() {
      if (model.configJson === null) {
        const { sampled, trained, durationMs } = await iterateOnce(
          (role) => models[role],
          householdWorld,
          settings,
          clock,
        )
        const tokens = sampled.tokens + trained.tokens
        return { sizes: about(sampled.tokens, trained.tokens), ms: durationMs, tokens, isWarm: true }
      }
      const { calls, sampled, trained } = await callsOf(patch)
      await use()
      const start = clock()
      for (const call of calls) await call(models.policy)
      return {
        sizes: `${about(sampled, trained)}; these calls alone`,
        ms: clock() - start,
        tokens: sampled + trained,
        isWarm: true,
      }
    },
  }
}

const seconds = (ms: number) => `${(ms / 1000).toPrecision(2)} s`
