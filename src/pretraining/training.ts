/** What it takes to train one model from nothing: its shape, its words, its demonstrations, and how it stands. */
import type { LanguageModel } from '../language-model/language-model.ts'
import type { Piece } from './demonstration-corpus.ts'
import type { ModelShape } from './model-shape.ts'
import type { TrainingPlan } from './supervised-training.ts'
import type { TokenizerFile } from './vocabulary.ts'

export const ROLES = ['policy', 'reward', 'author'] as const
export type Role = (typeof ROLES)[number]

/** One stretch of training: on what, and for how long. */
export interface Phase<Recipe> {
  corpus: Recipe
  plan: TrainingPlan
}

export interface Training {
  shape: ModelShape
  tokenizer: TokenizerFile
  phases: { plan: TrainingPlan; pieces(index: number): readonly Piece[] }[]
  /** One line on how good the model is, on what it was not trained on. */
  standing(model: LanguageModel): Promise<string>
}
