/**
 * What training a model from scratch needs: its shape, its vocabulary, its demonstrations, and a measure of its quality. A corpus may
 * contain the play of other models, which are then kept where their own training passes the right step.
 */
import type { LanguageModel } from '../language-model/language-model.ts'
import type { Role } from '../method/ports.ts'
import type { Piece } from './demonstration-corpus.ts'
import type { ModelShape } from './model-shape.ts'
import type { TrainingPlan } from './supervised-training.ts'
import type { TokenizerFile } from './vocabulary.ts'

export interface Corpus {
  /** Demonstration `index` of the phase. */
  pieces(index: number): readonly Piece[]
  /** One line on the model's quality on held-out data. */
  standing(model: LanguageModel): Promise<string>
}

/** A model during its training: after a step of a phase. Phases and steps count from 1. */
export interface Stage {
  role: Role
  phase: number
  step: number
}

export interface Phase {
  plan: TrainingPlan
  /** The corpus as plain data. A stage is not used for another recipe than its own. */
  recipe: unknown
  /** A shorter plan for a second model, from the same start and corpus: the folder `WORLD-ROLE-early`. Of the last phase alone. */
  early?: TrainingPlan
  /** Steps before the last whose models are kept. */
  kept?: readonly number[]
  /** Ends the phase before its last step, for a model that is to stay weak: asked after every report. */
  isEnough?: (model: LanguageModel) => Promise<boolean>
  /** Steps between two reports, if not those of the run. */
  reportEvery?: number
  /** Models that play for the corpus. */
  players?: readonly Stage[]
  /** The players may be disposed of afterwards. `report` gets what was done, and as a share in (0, 1]. */
  open(players: readonly LanguageModel[], report: (text: string, doneShare: number) => void): Promise<Corpus>
}

export interface Training {
  shape: ModelShape
  tokenizer: TokenizerFile
  /** A model of the same shape and tokenizer whose weights the first phase starts from, in place of fresh ones. */
  from?: Stage
  /** Jinja source of a chat model's template, written into its folder. */
  chatTemplate?: string
  phases: readonly Phase[]
}

/** A phase whose demonstrations need no play. */
export function phaseOf(plan: TrainingPlan, recipe: unknown, corpus: Corpus): Phase {
  return { plan, recipe, open: () => Promise.resolve(corpus) }
}
