/**
 * Training and sampling by one worker and by several, as a run uses them: an update of four optimiser steps, in which the others
 * compute gradients, and completions that they divide. Their results are compared first, and must be the same bit for bit.
 */
import { ReplicatedModel } from '../engines/transformer/replicated-model.ts'
import { TransformerCopy } from '../engines/transformer/transformer-copy.ts'
import type { TransformerModel } from '../engines/transformer/transformer-model.ts'
import { updateOptions } from '../method/learning.ts'
import type { GenerateRequest, TrainingExample } from '../method/ports.ts'
import { DEFAULTS } from '../method/settings.ts'
import type { Bridge } from '../threads/worker-bridge.ts'
import { type BenchModel, randomBatch, randomPrompts } from './bench-model.ts'
import { openPeers } from './field.ts'
import { type Contender, sideBySide, type SideBySideOptions } from './side-by-side.ts'
import { LEARNING_RATE, MAX_GRAD_NORM, type Open, processorClockOf, type TrainingSubject } from './subjects.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'

export interface CoresSizes {
  /** Sequences that one optimiser step trains, and tokens of each. */
  sequences: number
  length: number
  /** Optimiser steps of an update. */
  steps: number
  prompts: number
  promptLength: number
  sampled: number
}

export interface CoresSuiteOptions extends Omit<SideBySideOptions, 'signal'> {
  place: string
  model: BenchModel
  /** Folder of the model, as workers read it. */
  location: string
  startWorker(): Bridge<TransformerModel>
  /** Numbers of workers to compare; ratios are to the first. */
  workers: readonly number[]
  sizes: CoresSizes
  /** Trainers to measure beside ours. */
  peers: readonly Open<TrainingSubject>[]
}

export const TRAINING_TARGET = 1.75
export const GENERATION_TARGET = 1.8

const SUITE = 'cores'

export function coresSuite(options: CoresSuiteOptions): Suite {
  return {
    name: SUITE,
    summary: 'training and sampling by one worker and by two',
    async run(context) {
      const models = options.workers.map((count) => started(count, options))
      let peers: TrainingSubject[] = []
      try {
        for (const { model } of models) await model.load()
        peers = await openPeers(options.peers, options.model, context)
        await measureTraining(models, peers, options, context)
        await measureGeneration(models, options, context)
      } finally {
        for (const { model } of models) model.close()
        for (const peer of peers) peer.dispose()
      }
    },
  }
}

interface Started {
  name: string
  model: ReplicatedModel
  /** Throws if a worker was lost: the first would be measured doing its share. */
  assertWhole(): void
}

function started(samplers: number, { location, startWorker }: CoresSuiteOptions): Started {
  let lost: Error | null = null
  const model = new ReplicatedModel({
    samplers,
    copy: (index) =>
      new TransformerCopy({
        name: `copy ${index + 1}`,
        source: { location, backend: 'cpu', samplers },
        startWorker,
      }),
    onLost: (cause) => (lost ??= new Error('A worker was lost during the measurement.', { cause })),
  })
  return {
    name: samplers === 1 ? 'one worker' : `${samplers} workers`,
    model,
    assertWhole() {
      if (lost !== null) throw lost
    },
  }
}

async function measureTraining(
  models: readonly Started[],
  peers: readonly TrainingSubject[],
  options: CoresSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { model, sizes } = options
  const { sequences, length, steps } = sizes
  const batch = randomBatch(model.config, sequences, length)
  const examples = Array.from({ length: steps }, () => batch).flatMap(({ tokens, targets }) =>
    Array.from({ length: sequences }, (_, row): TrainingExample => ({
      prompt: tokens.subarray(row * length, row * length + 1),
      response: targets.subarray(row * length, (row + 1) * length),
      oldLogProbs: new Float32Array(length).fill(-Math.log(model.config.vocabularySize)),
      advantage: row % 2 === 0 ? 1 : -1,
    })),
  )
  const update = updateOptions('policy', {
    ...DEFAULTS,
    policyLearningRate: LEARNING_RATE,
    maxGradNorm: MAX_GRAD_NORM,
    lossAggregation: 'token-mean',
    policyUpdatesPerIteration: steps,
  })
  context.progress(`Training in turn: ${[...models, ...peers].map(({ name }) => name).join(', ')}`)
  const results: string[] = []
  for (const { model: each } of models) results.push(JSON.stringify(await each.update(examples, update)))
  assertAlike(results, 'An update')
  const contenders: Contender[] = [
    ...models.map(({ name, model: each, assertWhole }) => ({
      subject: name,
      async run() {
        await each.update(examples, update)
        assertWhole()
      },
    })),
    ...peers.map((peer) => ({
      subject: peer.name,
      processorClock: processorClockOf(peer),
      async run() {
        for (let step = 0; step < steps; step++) await peer.step(batch)
      },
    })),
  ]
  const work = {
    tokens: steps * sequences * length,
    target: TRAINING_TARGET,
    sizes: { steps, sequences, context: length },
  }
  await measure('training', contenders, work, options, context)
}

async function measureGeneration(
  models: readonly Started[],
  options: CoresSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { prompts, promptLength, sampled } = options.sizes
  const sampling = { temperature: 1, topP: 1, maxTokens: sampled }
  // New prompts each time, because a model remembers those that it has read.
  const requests = (seed: number): GenerateRequest[] =>
    randomPrompts(options.model.config, prompts, promptLength, seed).map((prompt, index) => ({
      prompt,
      count: 1,
      seed: index,
    }))
  context.progress(`Sampling in turn: ${models.map(({ name }) => name).join(', ')}`)
  const results: string[] = []
  for (const { model } of models) {
    const completions = await model.generate(requests(0), sampling)
    results.push(JSON.stringify(completions.map(([completion]) => [...completion!.tokens, ...completion!.logProbs])))
  }
  assertAlike(results, 'A completion')
  const contenders = models.map(({ name, model, assertWhole }): Contender => {
    let seed = 1
    return {
      subject: name,
      async run() {
        await model.generate(requests(seed++), sampling)
        assertWhole()
      },
    }
  })
  const work = {
    tokens: prompts * sampled,
    target: GENERATION_TARGET,
    sizes: { batch: prompts, prompt: promptLength, sampled },
  }
  await measure('generation', contenders, work, options, context)
}

interface Work {
  tokens: number
  /** How many times as fast two workers should be as one. */
  target: number
  sizes: Measurement['sizes']
}

async function measure(
  name: string,
  contenders: readonly Contender[],
  { tokens, target, sizes }: Work,
  { model, place, ...options }: CoresSuiteOptions,
  { report, signal }: SuiteContext,
): Promise<void> {
  const timed = await sideBySide(contenders, { ...options, signal })
  const parameters = `${(model.parameters / 1e6).toFixed(2)} M`
  for (const [index, { subject, medianMs, note }] of timed.entries()) {
    const ratio = timed[0]!.medianMs / medianMs
    const isOurs = index > 0 && index < options.workers.length
    const verdict = isOurs ? `; ${ratio.toFixed(2)} times one worker (wanted with two: ${target})` : ''
    report({
      suite: SUITE,
      name,
      subject,
      value: (tokens / medianMs) * 1000,
      unit: 'tokens/s',
      sizes: { parameters, ...sizes, in: place },
      note: note + verdict,
    })
  }
}

/** Throws if the results of models with different numbers of workers differ. */
function assertAlike(results: readonly string[], what: string): void {
  if (results.some((result) => result !== results[0]))
    throw new Error(`${what} depends on the number of workers: ${results.map((each) => each.slice(0, 200)).join('\n')}`)
}
