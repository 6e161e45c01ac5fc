/** Trains the model of one role, phase by phase. Models that it learns from and that are missing are trained first. */
import { join } from 'node:path'
import { writeModelFolder } from '../../language-model/files/folder-reader.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import type { Role } from '../../method/ports.ts'
import { configJson } from '../../pretraining/model-shape.ts'
import { trainOnDemonstrations } from '../../pretraining/supervised-training.ts'
import type { Corpus, Phase, Stage, Training } from '../../pretraining/training.ts'
import { END_OF_RESPONSE } from '../../pretraining/vocabulary.ts'
import { ArgumentError } from '../arguments.ts'
import type { KeptStages } from './kept-stages.ts'
import { timeLeft } from './time-left.ts'

export interface Pretraining {
  world: string
  seed: number
  /** Called once for every role that is trained or plays. */
  trainingOf(role: Role): Training
  stages: KeptStages
  log(line: string): void
  /** Steps between two reports; models are kept at multiples of it. 50 by default. */
  reportEvery?: number
}

/** At most four measurements a phase, because each plays hundreds of games. */
const MEASURE_EVERY = 400
const MEASUREMENTS = 4

/**
 * Trains the phases after the first `after`. The model is also written to `out`, unless it is only needed to play for another.
 * Throws ArgumentError if the model to start from is missing.
 */
export async function trainRole(run: Pretraining, role: Role, after: number, out: string | null): Promise<void> {
  const training = run.trainingOf(role)
  const name = `${run.world}-${role}`
  if (after >= training.phases.length) {
    throw new ArgumentError(`--after ${after} leaves nothing to train: ${name} has ${phaseCount(training)}.`)
  }
  if (after > 0) await stageBefore(run, role, training, after)
  for (const [index, phase] of training.phases.entries()) {
    if (index < after) continue
    const corpus = await openCorpus(run, role, phase)
    const folder = out !== null && index + 1 === training.phases.length ? join(out, name) : null
    await trainPhase(run, corpus, training, { role, phase: index + 1 }, folder)
    if (folder === null || phase.early === undefined) continue
    const shorter = { ...training, phases: training.phases.with(index, { ...phase, plan: phase.early }) }
    await trainPhase(run, corpus, shorter, { role, phase: index + 1 }, `${folder}-early`)
  }
}

const phaseCount = ({ phases }: Training) => (phases.length === 1 ? '1 phase' : `${phases.length} phases`)

/** Every phase starts from weights with a fresh optimiser, so that it can be run again separately. */
async function startModel(run: Pretraining, role: Role, training: Training, index: number): Promise<LanguageModel> {
  if (index > 0) return run.stages.load(await stageBefore(run, role, training, index), training)
  const { shape, tokenizer, from } = training
  if (from !== undefined) {
    await makeStage(run, role, from, 'starts from')
    return run.stages.load(from, run.trainingOf(from.role))
  }
  const { vocab } = tokenizer.model
  const config = configJson(shape, Object.keys(vocab).length, vocab[END_OF_RESPONSE]!)
  return LanguageModel.fresh(config, tokenizer, run.seed, 'cpu')
}

/** The model that phase `index` starts from. Throws ArgumentError if it was not kept. */
async function stageBefore(run: Pretraining, role: Role, training: Training, index: number): Promise<Stage> {
  const stage: Stage = { role, phase: index, step: training.phases[index - 1]!.plan.steps }
  if (!(await run.stages.has(stage, training))) throw missingStage(run, stage, training)
  return stage
}

function missingStage({ world, stages }: Pretraining, stage: Stage, training: Training): ArgumentError {
  return new ArgumentError(
    `${stages.pathOf(stage, training)} is missing or was made by another recipe. ` +
      `Train ${world}-${stage.role} from its first phase, without --after.`,
  )
}

async function openCorpus(run: Pretraining, role: Role, phase: Phase): Promise<Corpus> {
  const players = phase.players ?? []
  for (const stage of players) await makeStage(run, role, stage)
  const models: LanguageModel[] = []
  for (const stage of players) models.push(await run.stages.load(stage, run.trainingOf(stage.role)))
  const start = performance.now()
  const report = (text: string, share: number) => run.log(`  ${text}, ${timeLeft(share, performance.now() - start)}`)
  const corpus = await phase.open(models, report)
  for (const model of models) await model.dispose()
  return corpus
}

/** Trains the role of a missing stage. */
async function makeStage(
  run: Pretraining,
  learner: Role,
  stage: Stage,
  use = 'learns from the play of',
): Promise<void> {
  const training = run.trainingOf(stage.role)
  const path = run.stages.pathOf(stage, training)
  if (await run.stages.has(stage, training)) return run.log(`${run.world}-${learner} ${use} ${path}`)
  if (stage.role === learner) throw missingStage(run, stage, training)
  run.log(`${path} is missing or was made by another recipe: training ${run.world}-${stage.role} first`)
  await trainRole(run, stage.role, 0, null)
}

/** Trains a phase from its start. The model is also written to `folder`, unless that is null. */
async function trainPhase(
  run: Pretraining,
  corpus: Corpus,
  training: Training,
  stage: Pick<Stage, 'role' | 'phase'>,
  folder: string | null,
): Promise<void> {
  const model = await startModel(run, stage.role, training, stage.phase - 1)
  run.log(
    `${run.world}-${stage.role}, phase ${stage.phase} of ${training.phases.length}: ${model.parameterCount} parameters, ` +
      `vocabulary ${Object.keys(training.tokenizer.model.vocab).length}, ${training.phases[stage.phase - 1]!.plan.steps} steps`,
  )
  await trainSteps(run, model, corpus, training, stage)
  if (folder !== null) {
    await writeModelFolder(folder, { ...(await model.saveFolder()), ...templateFile(training) })
    run.log(`${run.world}-${stage.role}: written to ${folder}`)
  }
  await model.dispose()
}

function templateFile({ chatTemplate }: Training): Record<string, Uint8Array> {
  return chatTemplate === undefined ? {} : { 'chat_template.jinja': new TextEncoder().encode(chatTemplate) }
}

async function trainSteps(
  { stages, log, ...run }: Pretraining,
  model: LanguageModel,
  corpus: Corpus,
  training: Training,
  { role, phase }: Pick<Stage, 'role' | 'phase'>,
): Promise<void> {
  const { plan, kept = [], isEnough, reportEvery = run.reportEvery ?? 50 } = training.phases[phase - 1]!
  const missed = kept.find((step) => step % reportEvery !== 0 || step >= plan.steps)
  if (missed !== undefined) {
    throw new Error(`Step ${missed} cannot be kept: it is not a multiple of ${reportEvery} below ${plan.steps}.`)
  }
  const measureEvery = Math.max(MEASURE_EVERY, Math.ceil(plan.steps / MEASUREMENTS / reportEvery) * reportEvery)
  const start = performance.now()
  for await (const report of trainOnDemonstrations(model, corpus.pieces, plan, reportEvery)) {
    const { step, loss, tokensPerSecond } = report
    const isLast = step === plan.steps || (await isEnough?.(model)) === true
    const standing = step % measureEvery === 0 || isLast ? `; ${await corpus.standing(model)}` : ''
    const left = timeLeft(isLast ? 1 : step / plan.steps, performance.now() - start)
    log(`  step ${step}: loss ${loss.toFixed(4)}, ${tokensPerSecond.toFixed(0)} tokens/s, ${left}${standing}`)
    // The last stage has the number of the planned steps, also if fewer were enough.
    if (isLast || kept.includes(step))
      await stages.keep(model, { role, phase, step: isLast ? plan.steps : step }, training)
    if (isLast) return
  }
}
