/** What training a model from scratch needs: its shape, its vocabulary, its demonstrations, and a measure of its quality. */
import type { LanguageModel } from '../language-model/language-model.ts'
import type { Piece } from './demonstration-corpus.ts'
import type { ModelShape } from './model-shape.ts'
import type { TrainingPlan } from './supervised-training.ts'
import type { TokenizerFile } from './vocabulary.ts'

/** One phase of training: its data and its length. */
export interface TrainingPhase<Recipe> {
  corpus: Recipe
  plan: TrainingPlan
}

export interface Training {
  shape: ModelShape
  tokenizer: TokenizerFile
  phases: { plan: TrainingPlan; pieces(index: number): readonly Piece[] }[]
  /** One line on the model's quality on held-out data. */
  standing(model: LanguageModel): Promise<string>
}
