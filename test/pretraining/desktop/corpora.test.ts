import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { authorPieces } from '../../../src/pretraining/desktop/author-corpus.ts'
import { judgedPieces, policyPieces, trainingTask } from '../../../src/pretraining/desktop/corpus.ts'
import { POLICY, REWARD } from '../../../src/pretraining/desktop/recipes.ts'
import { desktopTokenizer } from '../../../src/pretraining/desktop/tokenizer.ts'
import { DesktopEnvironment } from '../../../src/worlds/desktop/environment.ts'
import { isHeldOutPair } from '../../../src/worlds/desktop/generator/splits.ts'
import { TEMPLATES } from '../../../src/worlds/desktop/generator/templates.ts'
import { parseRewrite } from '../../../src/worlds/desktop/rewrites/language.ts'
import { demonstrate } from '../../../src/worlds/desktop/roles/demonstrations.ts'
import { desktopFormats } from '../../../src/worlds/desktop/roles/plain-roles.ts'
import { portTask } from '../../../src/worlds/desktop/task-source.ts'
import { taskOf } from '../../../src/worlds/desktop/task.ts'
import { seededRandom } from '../../../src/worlds/random.ts'

const INDICES = Array.from({ length: 20 }, (_, index) => index)

describe('the desktop policy’s corpus', () => {
  it('depends only on the seed, and has only responses that the policy’s format reads', () => {
    const pieces = (seed: number) => INDICES.map((index) => policyPieces(POLICY.corpus, seed, index))
    expect(pieces(3)).toEqual(pieces(3))
    expect(pieces(3)).not.toEqual(pieces(4))
    for (const { text, isResponse } of pieces(1).flat()) {
      if (!isResponse) continue
      const { thought, command } = desktopFormats.policy.parse(text)
      expect(thought).not.toBe('')
      expect(command).toMatch(/^(click|type) \S|^(done|fail)$/)
    }
  })

  it('draws every template, in training layouts and with training pairs only', () => {
    for (const { name } of TEMPLATES) {
      const game = trainingTask(17, [name])
      expect(game.wish.template).toBe(name)
      expect(game.origin.split).toBe('train')
      expect(isHeldOutPair(...game.pair)).toBe(false)
    }
    const names = TEMPLATES.map(({ name }) => name).sort()
    expect([...POLICY.corpus.templates].sort()).toEqual(names)
    const { templates, rare } = REWARD.reading.corpus
    expect([...templates, ...rare!.templates].sort()).toEqual(names)
  })
})

describe('the desktop reward model’s corpus', () => {
  it('judges every step of played tasks and of demonstrations exactly as the environment labels it', async () => {
    const played = INDICES.map((index) => {
      const game = trainingTask(900 + index)
      const { steps } = demonstrate(game, { slip: 0.5, maxSteps: 20 }, seededRandom('player', index))
      return { game, moves: steps.map(({ thought, command }) => ({ thought, command })) }
    })
    const recipe = { ...REWARD.judging.corpus, judgedRefusals: 1, playedShare: 1 }
    for (const index of INDICES) {
      const { game, moves } = played[index]!
      const scores = judgedPieces(recipe, played, 0, index)
        .filter(({ asideCue }) => asideCue !== undefined)
        .map(({ text }) => desktopFormats.reward.parse(text).score)
      const environment = new DesktopEnvironment()
      await environment.reset([{ episodeId: 'e', task: portTask(taskOf(game)), maxSteps: 20 }])
      const labels: (number | null)[] = []
      for (const { command } of moves) {
        const [result] = await environment.step([{ episodeId: 'e', command }])
        labels.push(result!.trueLabel)
      }
      expect(scores).toEqual(labels)
    }
  })
})

it('the desktop author’s corpus has readable rewrites, and depends only on the seed', () => {
  expect(authorPieces(3, 1)).toEqual(authorPieces(3, 1))
  for (const index of INDICES.slice(0, 6)) {
    const rewrite = authorPieces(2, index).at(-1)!
    expect(rewrite.isResponse).toBe(true)
    expect(parseRewrite(desktopFormats.author.parse(rewrite.text))).not.toBeNull()
  }
})

it('the tokenizer of the shipped desktop models can be made again', () => {
  const made = JSON.stringify(desktopTokenizer([]), null, 2)
  for (const role of ['policy', 'reward']) {
    expect(readFileSync(`public/models/desktop-${role}/tokenizer.json`, 'utf8') === made).toBe(true)
  }
})
