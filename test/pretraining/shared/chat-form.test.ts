import { describe, expect, it } from 'vitest'
import { chatPiecesOf, chatRenderer } from '../../../src/language-model/tokens/chat-template.ts'
import { Tokenizer } from '../../../src/language-model/tokens/tokenizer.ts'
import { DesktopEnvironment } from '../../../src/worlds/desktop/environment.ts'
import { HouseholdEnvironment } from '../../../src/worlds/household/environment.ts'
import { generatedGames } from '../../../src/worlds/household/game-source.ts'
import type { Piece } from '../../../src/pretraining/demonstration-corpus.ts'
import * as desktop from '../../../src/pretraining/desktop/corpus.ts'
import { PLAYED_DESKTOP } from '../../../src/pretraining/desktop/played-games.ts'
import * as desktopRecipes from '../../../src/pretraining/desktop/recipes.ts'
import { desktopTokenizer } from '../../../src/pretraining/desktop/tokenizer.ts'
import * as household from '../../../src/pretraining/household/corpus.ts'
import { PLAYED_HOUSEHOLD } from '../../../src/pretraining/household/played-games.ts'
import * as householdRecipes from '../../../src/pretraining/household/recipes.ts'
import { householdTokenizer } from '../../../src/pretraining/household/tokenizer.ts'
import {
  CHAT_FORMATS,
  CHAT_PIECES,
  CHAT_TEMPLATE,
  chatForm,
  fixedTexts,
  SHARED_WORLDS,
  type SharedWorld,
} from '../../../src/pretraining/shared/chat-form.ts'
import { sharedTokenizer } from '../../../src/pretraining/shared/tokenizer.ts'
import { actedPieces, judgedPieces, type SharedGames } from '../../../src/pretraining/shared/trainings.ts'

const INDICES = Array.from({ length: 60 }, (_, index) => index)
/** Outside of what the tokenizer was made of. */
const SEED = 11

const file = sharedTokenizer()
const tokenizer = new Tokenizer(file, 'shared')

/** Games without a move, so that only demonstrations are judged at length. */
const NOT_PLAYED: SharedGames = {
  household: [{ game: PLAYED_HOUSEHOLD.gameOf(1), moves: [] }],
  desktop: [{ game: PLAYED_DESKTOP.gameOf(1), moves: [] }],
}

function demonstrated(world: SharedWorld, form = chatForm(world)): Piece[] {
  return INDICES.flatMap((index) =>
    world === 'household'
      ? household.policyPieces({ ...householdRecipes.POLICY.corpus, rareShare: 0.5 }, SEED, index, form)
      : desktop.policyPieces(desktopRecipes.POLICY.corpus, SEED, index, form),
  )
}

/** Letters of a text that are not part of a known word. A cell's name, as c3, is a word and a digit. */
function spelled(text: string): string {
  const bytes = Array.from(tokenizer.encode(text)).filter((id) => id < 256)
  return bytes
    .map((id) => tokenizer.decode(Int32Array.of(id)))
    .filter((character) => /[A-Za-z]/.test(character))
    .join('')
}

describe('the chat form', () => {
  it('has the pieces of its template', async () => {
    const render = await chatRenderer({ source: CHAT_TEMPLATE, specialTokens: {} }, 'shared')
    expect(chatPiecesOf(render, CHAT_PIECES.reserved, 'shared')).toEqual(CHAT_PIECES)
  })

  it('spells answers such that the parsers of chat models read the same thoughts, commands and scores', () => {
    for (const world of SHARED_WORLDS) {
      const { policy, reward } = CHAT_FORMATS[world]
      const { spelling } = chatForm(world)
      const terse = demonstrated(world, {
        ...chatForm(world),
        spelling: { ...spelling, response: (a, b) => `${a}|${b}` },
      })
      for (const { text, isResponse } of terse) {
        if (!isResponse) continue
        const [thought = '', command = ''] = text.split('|')
        expect(policy.parse(spelling.response(thought, command))).toEqual({ thought, command })
      }
      for (const score of [1, -1] as const)
        expect(reward.parse(spelling.judgement('put the right thing', score))).toEqual({
          reasoning: 'put the right thing',
          score,
        })
    }
  })
})

describe('the shared tokenizer', () => {
  it('knows every word of both roles’ prompts in every world', () => {
    const acted = INDICES.flatMap((index) => actedPieces(SEED, index))
    const judged = INDICES.flatMap((index) => judgedPieces(NOT_PLAYED, SEED, index))
    for (const { text, asideCue = '' } of [...acted, ...judged]) expect(spelled(asideCue + text), text).toBe('')
  })

  it('knows every word of held-out tasks, also out of distribution', async () => {
    const environments = {
      household: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
      desktop: new DesktopEnvironment(),
    }
    for (const world of SHARED_WORLDS) {
      for (const split of ['id', 'ood'] as const) {
        const tasks = await environments[world].sampleTasks(split, 40, SEED)
        const starts = await environments[world].reset(
          tasks.map((task, index) => ({ episodeId: `${split}${index}`, task, maxSteps: 5 })),
        )
        for (const { opening } of starts) expect(spelled(CHAT_FORMATS[world].policy.opening(opening)), opening).toBe('')
      }
    }
  })

  it('has every text that never changes as one token, so that episodes are hardly longer than the terse ones', () => {
    for (const world of SHARED_WORLDS) {
      for (const text of fixedTexts(world)) expect(tokenizer.encode(text), text).toHaveLength(1)
    }
    const length = (pieces: readonly Piece[], of: Tokenizer) =>
      pieces.reduce((sum, { text }) => sum + of.encode(text).length, 0)
    const terse = {
      household: length(
        INDICES.flatMap((i) => household.policyPieces({ ...householdRecipes.POLICY.corpus, rareShare: 0.5 }, SEED, i)),
        new Tokenizer(householdTokenizer([]), 'household'),
      ),
      desktop: length(
        INDICES.flatMap((i) => desktop.policyPieces(desktopRecipes.POLICY.corpus, SEED, i)),
        new Tokenizer(desktopTokenizer([]), 'desktop'),
      ),
    }
    for (const world of SHARED_WORLDS) expect(length(demonstrated(world), tokenizer) / terse[world]).toBeLessThan(1.4)
  })
})
