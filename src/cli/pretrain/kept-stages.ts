/**
 * Models kept during training, as model folders in .cache/pretrain/seed-N: the next phase starts from them, and other models learn
 * from their play. They are not shipped. `recipe.json` says what a model was trained on and with which tokenizer; a changed recipe
 * makes it outdated.
 */
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderReader, writeModelFolder } from '../../language-model/files/folder-reader.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import type { Stage, Training } from '../../pretraining/training.ts'

const RECIPE = 'recipe.json'

export class KeptStages {
  readonly #world: string
  readonly #seed: number
  readonly folder: string

  constructor(world: string, seed: number, folder = join('.cache', 'pretrain', `seed-${seed}`)) {
    this.#world = world
    this.#seed = seed
    this.folder = folder
  }

  /** "household-policy.step-2400", with the phase if there are several. */
  nameOf({ role, phase, step }: Stage, { phases }: Training): string {
    return `${this.#world}-${role}${phases.length > 1 ? `.phase-${phase}` : ''}.step-${step}`
  }

  pathOf(stage: Stage, training: Training): string {
    return join(this.folder, this.nameOf(stage, training))
  }

  /** Whether the model is there, made by the same recipe. */
  async has(stage: Stage, training: Training): Promise<boolean> {
    try {
      const found = await readFile(join(this.pathOf(stage, training), RECIPE), 'utf8')
      return found === this.#recipeOf(stage, training)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  async keep(model: LanguageModel, stage: Stage, training: Training): Promise<void> {
    const folder = this.pathOf(stage, training)
    // The recipe comes last, so that a folder whose writing was interrupted does not count.
    await rm(join(folder, RECIPE), { force: true })
    await writeModelFolder(folder, await model.saveFolder())
    await writeFile(join(folder, RECIPE), this.#recipeOf(stage, training))
  }

  load(stage: Stage, training: Training): Promise<LanguageModel> {
    return LanguageModel.load(folderReader(this.pathOf(stage, training)), 'cpu')
  }

  #recipeOf({ phase }: Stage, { shape, tokenizer, phases }: Training): string {
    const trainedOn = phases.slice(0, phase).map(({ plan, recipe }) => ({ plan, recipe }))
    const tokenizerHash = createHash('sha256').update(JSON.stringify(tokenizer)).digest('hex')
    return JSON.stringify({ seed: this.#seed, shape, tokenizer: tokenizerHash, phases: trainedOn }, null, 2)
  }
}
