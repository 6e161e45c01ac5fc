/**
 * The model calls of an iteration of the household preset with the shipped models, to repeat them on larger models, whose random
 * weights would only speak nonsense: the same prompts, lengths and updates. The roles' calls run one after the other.
 */
import type { ModelReader } from '../../language-model/files/model-folder.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import type { LanguageModelPort, Role } from '../../method/ports.ts'
import { ROLES } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import { householdWorld } from '../household-bench.ts'
import { iterateOnce } from '../loop-iteration.ts'
import { startOwn } from '../own-backend.ts'

export interface RecordedIteration {
  calls: readonly ((model: LanguageModel) => Promise<unknown>)[]
  /** Tokens. */
  sampled: number
  trained: number
}

/** Runs an iteration on the CPU. */
export async function recordIteration(
  readShipped: (role: Role) => ModelReader,
  settings: Settings,
  clock: () => number,
): Promise<RecordedIteration> {
  await (await startOwn('cpu')).use()
  const models = new Map<Role, LanguageModel>()
  const calls: ((model: LanguageModel) => Promise<unknown>)[] = []
  try {
    for (const role of ROLES) models.set(role, await LanguageModel.load(readShipped(role), 'selected'))
    const recorded = new Map(ROLES.map((role) => [role, recording(models.get(role)!, calls)]))
    const { sampled, trained } = await iterateOnce((role) => recorded.get(role)!, householdWorld, settings, clock)
    return { calls, sampled: sampled.tokens, trained: trained.tokens }
  } finally {
    for (const model of models.values()) await model.dispose()
  }
}

/** Adds each call to `calls`, with completions as long as the longest that the model sampled. */
function recording(model: LanguageModelPort, calls: ((model: LanguageModel) => Promise<unknown>)[]): LanguageModelPort {
  return {
    encode: (texts) => model.encode(texts),
    async generate(requests, options, signal) {
      const completions = await model.generate(requests, options, signal)
      const maxTokens = Math.max(1, ...completions.flat().map(({ tokens }) => tokens.length))
      calls.push((other) => other.generate(requests, { ...options, maxTokens }))
      return completions
    },
    update(examples, options, signal) {
      calls.push((other) => other.update(examples, options))
      return model.update(examples, options, signal)
    },
    saveCheckpoint: () => model.saveCheckpoint(),
    loadCheckpoint: (bytes) => model.loadCheckpoint(bytes),
  }
}
