/**
 * Lessons that teach a model with random weights the form of its answers: our prompts for the household's roles, each with a
 * well-formed random answer. The model then plays at random and judges by a coin flip, so rewards differ between samples and there is
 * something to learn.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HouseholdEnvironment } from '../../../src/worlds/household/environment.ts'
import { generatedGames } from '../../../src/worlds/household/game-source.ts'
import { instructAuthor, instructPolicy, instructReward } from '../../../src/worlds/household/roles/instruct-roles.ts'
import { chance, pick, seededRandom, type Random } from '../../../src/worlds/random.ts'
import { chatPiecesOf, chatRenderer } from '../../../src/language-model/tokens/chat-template.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'
import type { StepResult } from '../../../src/method/ports.ts'

export interface Lesson {
  prompt: string
  /** Includes the end token. */
  response: string
}

const TASKS = 48
const STEPS = 3
const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const THOUGHTS = ['I look around.', 'I go on.', 'This may help.']
const REASONS = ['That is my opinion.', 'I have seen the step.']

/** Chat pieces of the tiny model's chat template. */
async function tinyChatPieces(): Promise<ChatPieces> {
  const source = readFileSync(join(import.meta.dirname, 'python/chat_template.jinja'), 'utf8')
  return chatPiecesOf(await chatRenderer({ source, specialTokens: {} }, 'tiny'), SPECIAL, 'tiny')
}

export async function householdLessons(seed: number): Promise<Lesson[]> {
  const pieces = await tinyChatPieces()
  const [policy, reward, author] = [instructPolicy(pieces), instructReward(pieces), instructAuthor(pieces)]
  const draw = seededRandom('lessons', seed)
  const environment = new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
  const lessons: Lesson[] = []
  const teach = (prompt: string, response: string) => lessons.push({ prompt, response: response + pieces.responseEnd })

  for (const task of await environment.sampleTasks('train', TASKS, seed)) {
    const [start] = await environment.reset([{ episodeId: task.id, task, maxSteps: STEPS + 1 }])
    const { opening } = start!
    let conversation = policy.opening(opening)
    let judged = reward.opening(opening)
    for (let step = 0; step < STEPS; step++) {
      const command = anyCommand(opening, draw)
      const response = `${pick(draw, THOUGHTS)}\nAction: ${command}`
      teach(conversation, response)
      const [{ observation }] = (await environment.step([{ episodeId: task.id, command }])) as [StepResult]
      conversation += response + pieces.responseEnd + policy.afterResponse(observation)
      judged += reward.step({ response, observation })
      teach(judged + reward.cue, `${pick(draw, REASONS)}\nScore: ${chance(draw, 0.5) ? 1 : -1}`)
    }
    const asked = { description: await environment.describe(task), direction: 'easier', accuracy: 0, criticSummary: '' } as const // prettier-ignore
    teach(author.prompt(asked), `A change.\nRewrite: add ${pick(draw, [1, 2, 3])}`)
  }
  return lessons
}

/** A command that works anywhere, or one that goes to a place in the opening. */
function anyCommand(opening: string, draw: Random): string {
  const places = [...opening.matchAll(/\ban? ([a-z]+ \d+)/g)].map(([, place]) => `go to ${place!}`)
  return pick(draw, chance(draw, 0.5) || places.length === 0 ? ['look', 'inventory'] : places)
}
