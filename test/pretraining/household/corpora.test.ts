import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Piece } from '../../../src/pretraining/demonstration-corpus.ts'
import { parseRewrite } from '../../../src/worlds/household/rewrites/language.ts'
import { householdFormats } from '../../../src/worlds/household/roles/plain-roles.ts'
import { HouseholdEnvironment, portTask } from '../../../src/worlds/household/environment.ts'
import type { HouseholdGame } from '../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { demonstrate } from '../../../src/worlds/household/roles/demonstrations.ts'
import { taskOf } from '../../../src/worlds/household/task.ts'
import { seededRandom } from '../../../src/worlds/random.ts'
import { authorPieces } from '../../../src/pretraining/household/author-corpus.ts'
import { judgedPieces, policyPieces } from '../../../src/pretraining/household/corpus.ts'
import { POLICY, REWARD } from '../../../src/pretraining/household/recipes.ts'
import { householdTokenizer } from '../../../src/pretraining/household/tokenizer.ts'

const INDICES = Array.from({ length: 20 }, (_, index) => index)
/** In the goal's sentence of the rare task types, and of no common one. */
const RARE = /^(put a (clean|hot|cool)|clean|heat|cool|put two|find two) /

const instructionOf = ([opening]: readonly Piece[]) => /Your task is to: (.*)/.exec(opening!.text)![1]!
const judgementsOf = (pieces: readonly Piece[]) => pieces.filter(({ asideCue }) => asideCue !== undefined)

/** Games as a clumsy expert played them, in place of a policy. */
const PLAYED = INDICES.map((index) => {
  const game = generateGame({ seed: 900 + index, split: 'train', sceneSize: 'compact' })
  const { steps } = demonstrate(game, { slip: 0.6, maxSteps: 20 }, seededRandom('player', index))
  return { game, moves: steps.map(({ thought, command }) => ({ thought, command })) }
})

/** True labels as the loop's environment gives them. */
async function labelsOf(game: HouseholdGame, commands: readonly string[]): Promise<(number | null)[]> {
  const environment = new HouseholdEnvironment({ games: { sample: () => Promise.resolve([game]) } })
  await environment.reset([{ episodeId: 'e', task: portTask(taskOf(game)), maxSteps: 20 }])
  const labels: (number | null)[] = []
  for (const command of commands) {
    const [result] = await environment.step([{ episodeId: 'e', command }])
    labels.push(result!.trueLabel)
  }
  return labels
}

describe('the policy’s corpus', () => {
  const pieces = (rareShare: number, seed: number, index: number) =>
    policyPieces({ ...POLICY.corpus, rareShare }, seed, index)

  it('depends only on the seed', () => {
    expect(INDICES.map((index) => pieces(0.5, 3, index))).toEqual(INDICES.map((index) => pieces(0.5, 3, index)))
    expect(pieces(0, 3, 0)).not.toEqual(pieces(0, 4, 0))
  })

  it('contains only responses that the policy’s format reads', () => {
    for (const { text, isResponse } of INDICES.flatMap((index) => pieces(0.5, 1, index))) {
      if (!isResponse) continue
      const { thought, command } = householdFormats.policy.parse(text)
      expect(thought).not.toBe('')
      expect(command).toMatch(/^[a-z]/)
    }
  })

  it('mixes common and rare kinds of task by their share', () => {
    const rareOf = (share: number, count: number) =>
      Array.from({ length: count }, (_, index) => instructionOf(pieces(share, 0, index))).filter((instruction) =>
        RARE.test(instruction),
      ).length
    expect(rareOf(0, 20)).toBe(0)
    expect(rareOf(1, 20)).toBe(20)
    // Three standard errors of 200 draws.
    expect(Math.abs(rareOf(0.3, 200) / 200 - 0.3)).toBeLessThan(0.1)
  })
})

describe('the reward model’s corpus', () => {
  const pieces = (recipe: Partial<typeof REWARD.judging.corpus>, index: number) =>
    judgedPieces({ ...REWARD.judging.corpus, hints: 0, judgedRefusals: 1, ...recipe }, PLAYED, 0, index)
  const commandsOf = (line: readonly Piece[]) =>
    line
      .flatMap(({ text, asideCue }) => (asideCue === undefined ? [...text.matchAll(/\n> [^:]*: (.*)/g)] : []))
      .map(([, command]) => command!)

  it('judges every step of played games and of demonstrations exactly as the environment labels it', async () => {
    for (const index of INDICES) {
      for (const playedShare of [0, 1]) {
        const line = pieces({ playedShare }, index)
        const game = playedShare
          ? PLAYED[index % PLAYED.length]!.game
          : generateGame({ seed: 7_000_000 + index, split: 'train', sceneSize: 'compact' })
        const scores = judgementsOf(line).map(({ text }) => {
          const { reasoning, score } = householdFormats.reward.parse(text)
          expect(reasoning).not.toBe('')
          return score
        })
        expect(scores).toEqual(await labelsOf(game, commandsOf(line)))
      }
    }
  })

  it('repeats played games move by move', () => {
    for (const index of INDICES) {
      const { moves } = PLAYED[index % PLAYED.length]!
      expect(commandsOf(pieces({ playedShare: 1 }, index))).toEqual(moves.map(({ command }) => command))
    }
  })

  it('leaves out most judgements of refused commands, and no other', () => {
    const counts = { refusals: 0, judgedRefusals: 0, others: 0, judgedOthers: 0 }
    for (let index = 0; index < 150; index++) {
      const line = pieces({ judgedRefusals: 0.25 }, index)
      for (const [at, { text, isResponse }] of line.entries()) {
        if (at === 0 || isResponse) continue
        const isJudged = line[at + 1]?.asideCue !== undefined
        if (text.includes('Nothing happens')) {
          counts.refusals++
          if (isJudged) counts.judgedRefusals++
        } else {
          counts.others++
          if (isJudged) counts.judgedOthers++
        }
      }
    }
    expect(counts.judgedOthers).toBe(counts.others)
    expect(counts.refusals).toBeGreaterThan(80)
    expect(Math.abs(counts.judgedRefusals / counts.refusals - 0.25)).toBeLessThan(0.12)
  })

  it('takes the share of played games that it is told to', () => {
    const isPlayed = (index: number) => pieces({}, index)[0]!.text === pieces({ playedShare: 1 }, index)[0]!.text
    const share = Array.from({ length: 100 }, (_, index) => index).filter(isPlayed).length / 100
    expect(Math.abs(share - REWARD.judging.corpus.playedShare)).toBeLessThan(0.14)
  })
})

describe('the author’s corpus', () => {
  it('contains readable rewrites, and depends only on the seed', () => {
    expect(authorPieces(3, 1)).toEqual(authorPieces(3, 1))
    for (const index of INDICES.slice(0, 6)) {
      const rewrite = authorPieces(2, index).at(-1)!
      expect(rewrite.isResponse).toBe(true)
      expect(parseRewrite(householdFormats.author.parse(rewrite.text))).not.toBeNull()
    }
  })
})

it('the tokenizer of the shipped household models can be made again', () => {
  const made = JSON.stringify(householdTokenizer([]), null, 2)
  for (const role of ['policy', 'reward']) {
    expect(readFileSync(`public/models/household-${role}/tokenizer.json`, 'utf8') === made).toBe(true)
  }
})
