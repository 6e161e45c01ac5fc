import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeptStages } from '../../../src/cli/pretrain/kept-stages.ts'
import { timeLeft } from '../../../src/cli/pretrain/time-left.ts'
import { trainRole } from '../../../src/cli/pretrain/train-role.ts'
import type { LanguageModel } from '../../../src/language-model/language-model.ts'
import type { Role } from '../../../src/method/ports.ts'
import type { Phase, Training } from '../../../src/pretraining/training.ts'
import { buildTokenizer } from '../../../src/pretraining/vocabulary.ts'

const SHAPE = {
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 8,
}
const tokenizer = buildTokenizer([], ['a b c'])
const plan = { steps: 3, episodesPerStep: 1, peakLearningRate: 1e-2, weightDecay: 0 }
const corpus = {
  pieces: () => [
    { text: 'a', weight: 0 },
    { text: ' b c', weight: 1, isResponse: true },
  ],
  standing: () => Promise.resolve('fine'),
}

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pretrain-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** A policy that is kept at step 2, and a reward model whose second phase learns from the play of both. */
function pretraining(change: { policyRecipe?: string; kept?: number[]; words?: string } = {}) {
  const lines: string[] = []
  const played: { players: number }[] = []
  const phase = (more: Partial<Phase>): Phase => ({
    ...{ plan, recipe: 'r', open: () => Promise.resolve(corpus) },
    ...more,
  })
  const open = async (players: readonly LanguageModel[], report: (text: string, share: number) => void) => {
    played.push({ players: players.length })
    report('played 1 of 2 games', 0.5)
    return corpus
  }
  const players = [
    { role: 'policy', phase: 1, step: 2 },
    { role: 'policy', phase: 1, step: 3 },
    { role: 'reward', phase: 1, step: 3 },
  ] as const
  const phases: Record<Role, Phase[]> = {
    policy: [phase({ kept: change.kept ?? [2], recipe: change.policyRecipe ?? 'r' })],
    reward: [phase({}), phase({ players, open })],
    author: [phase({})],
  }
  const spoken = change.words === undefined ? tokenizer : buildTokenizer([], [change.words])
  const trainingOf = (role: Role): Training => ({ shape: SHAPE, tokenizer: spoken, phases: phases[role] })
  const stages = new KeptStages('household', 0, join(folder, 'kept'))
  const run = {
    world: 'household',
    seed: 0,
    trainingOf,
    stages,
    log: (line: string) => lines.push(line),
    reportEvery: 1,
  }
  return { run, lines, played, train: (role: Role, after = 0) => trainRole(run, role, after, join(folder, 'out')) }
}

const weights = (...path: string[]) => readFileSync(join(folder, ...path, 'model.safetensors'))
const KEPT = 'kept/household-policy.step-2'

describe('training a role', () => {
  it('writes the final model alone to the folder of models, and keeps earlier ones elsewhere', async () => {
    const { train, lines } = pretraining()
    await train('policy')
    expect(readdirSync(join(folder, 'out'))).toEqual(['household-policy'])
    expect(readdirSync(join(folder, 'kept'))).toEqual(['household-policy.step-2', 'household-policy.step-3'])
    expect(weights('kept/household-policy.step-3')).toEqual(weights('out/household-policy'))
    expect(weights(KEPT)).not.toEqual(weights('out/household-policy'))
    expect(lines.join('\n')).toMatch(/step 3: loss \d\.\d+, \d+ tokens\/s, done; fine/)
  })

  it('trains the players that are missing, without writing them to the folder of models', async () => {
    const { train, lines, played } = pretraining()
    await train('reward')
    expect(readdirSync(join(folder, 'out'))).toEqual(['household-reward'])
    expect(played).toEqual([{ players: 3 }])
    expect(lines.join('\n')).toContain(
      `${join(folder, KEPT)} is missing or was made by another recipe: training household-policy first`,
    )
    expect(existsSync(join(folder, 'kept/household-reward.phase-1.step-3'))).toBe(true)
  })

  it('uses players that are there, but not those of another recipe', async () => {
    const first = pretraining()
    await first.train('policy')
    const before = weights(KEPT)
    const same = pretraining()
    await same.train('reward')
    expect(same.lines.join('\n')).toContain(`learns from the play of ${join(folder, KEPT)}`)
    expect(same.lines.join('\n')).not.toContain('training household-policy first')
    const other = pretraining({ policyRecipe: 'another' })
    await other.train('reward')
    expect(other.lines.join('\n')).toContain('training household-policy first')
    // The same demonstrations under another name give the same weights.
    expect(weights(KEPT)).toEqual(before)
  })

  it('starts from no model that was kept with another vocabulary', async () => {
    await pretraining().train('reward')
    const other = pretraining({ words: 'a b c d' })
    await expect(other.train('reward', 1)).rejects.toThrow('is missing or was made by another recipe')
  })

  it('starts from another model, which is trained first, and writes a chat template beside the weights', async () => {
    const { run, lines } = pretraining()
    const still = { ...plan, steps: 1, peakLearningRate: 0 }
    const taught: Training = {
      shape: SHAPE,
      tokenizer,
      from: { role: 'policy', phase: 1, step: 3 },
      chatTemplate: 'a template',
      phases: [{ plan: still, recipe: 'r', open: () => Promise.resolve(corpus) }],
    }
    const trainingOf = (role: Role) => (role === 'reward' ? taught : run.trainingOf(role))
    await trainRole({ ...run, trainingOf }, 'reward', 0, join(folder, 'out'))
    expect(lines.join('\n')).toContain('training household-policy first')
    expect(lines.join('\n')).not.toContain('learns from the play')
    // A learning rate of 0 leaves the weights as they were.
    expect(weights('out/household-reward')).toEqual(weights('kept/household-policy.step-3'))
    expect(readFileSync(join(folder, 'out/household-reward/chat_template.jinja'), 'utf8')).toBe('a template')
    expect(existsSync(join(folder, 'out/household-policy'))).toBe(false)
  })

  it('goes on after a phase with the same result, and says when that phase is missing', async () => {
    const whole = pretraining()
    await expect(whole.train('reward', 1)).rejects.toThrow(
      /household-reward\.phase-1\.step-3 is missing or was made by another recipe\. Train household-reward from its first phase/,
    )
    // Before anything is trained for it.
    expect(whole.lines).toEqual([])
    await whole.train('reward')
    const made = weights('out/household-reward')
    rmSync(join(folder, 'out'), { recursive: true })
    await whole.train('reward', 1)
    expect(weights('out/household-reward')).toEqual(made)
    await expect(whole.train('author', 1)).rejects.toThrow('--after 1 leaves nothing to train')
  })

  it('trains an early model, too, from the same start and play', async () => {
    const { run, lines } = pretraining()
    let opened = 0
    const phase: Phase = { plan, recipe: 'r', early: { ...plan, steps: 2 }, open: async () => (opened++, corpus) }
    const trainings = { ...run, trainingOf: () => ({ shape: SHAPE, tokenizer, phases: [phase] }) }
    await trainRole(trainings, 'reward', 0, join(folder, 'out'))
    expect(opened).toBe(1)
    expect(readdirSync(join(folder, 'out'))).toEqual(['household-reward', 'household-reward-early'])
    expect(weights('kept/household-reward.step-2')).toEqual(weights('out/household-reward-early'))
    expect(weights('out/household-reward-early')).not.toEqual(weights('out/household-reward'))
    expect(lines.join('\n')).toMatch(/step 2: .*, done; fine/)
  })

  it('ends a phase that was enough, and keeps its model as the last', async () => {
    const asked: number[] = []
    const phase: Phase = {
      ...{ plan, recipe: 'r', open: () => Promise.resolve(corpus) },
      isEnough: async () => asked.push(asked.length + 1) === 2,
      reportEvery: 1,
    }
    const { run, lines } = pretraining()
    const weak = { ...run, reportEvery: 3, trainingOf: () => ({ shape: SHAPE, tokenizer, phases: [phase] }) }
    await trainRole(weak, 'policy', 0, join(folder, 'out'))
    expect(asked).toEqual([1, 2])
    expect(lines.filter((line) => line.includes('step '))).toHaveLength(2)
    expect(lines.join('\n')).toMatch(/step 2: .*, done; fine/)
    expect(weights('kept/household-policy.step-3')).toEqual(weights('out/household-policy'))
  })

  it('refuses to keep a step at which nothing is reported', async () => {
    const { run } = pretraining()
    await expect(trainRole({ ...run, reportEvery: 3 }, 'policy', 0, folder)).rejects.toThrow('Step 2 cannot be kept')
  })
})

it('the time left is what the rest takes at the same speed', () => {
  expect(timeLeft(0.25, 60_000)).toBe('about 3 min left')
  expect(timeLeft(0.9, 60_000)).toBe('less than a minute left')
  expect(timeLeft(1, 60_000)).toBe('done')
})
