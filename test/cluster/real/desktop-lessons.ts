/**
 * Lessons that teach a vision-language model with random weights the form of its answers: the desktop's prompts with their pictures, as a
 * server gets them, each with the expert's command or a judge's random score. They are too few to learn to see.
 */
import { encodeMarked, MARKED_PIECES, messagesOf } from '../../../src/engines/openai/marked-text.ts'
import { PictureWriter, type WireMessage } from '../../../src/engines/openai/pictures.ts'
import { startGame, type DesktopState } from '../../../src/worlds/desktop/engine/state.ts'
import { decide } from '../../../src/worlds/desktop/planning/expert.ts'
import { screenPng } from '../../../src/worlds/desktop/pixels/screen-png.ts'
import { instructPolicy, instructReward } from '../../../src/worlds/desktop/roles/instruct-roles.ts'
import { clicked, RELATIVE, stepIn } from '../../../src/worlds/desktop/scene/dialects.ts'
import { centreOf, HEIGHT, WIDTH } from '../../../src/worlds/desktop/scene/scene.ts'
import { openingScreen, screenText } from '../../../src/worlds/desktop/scene/screen-text.ts'
import { sampleTasks } from '../../../src/worlds/desktop/task-source.ts'
import type { DesktopTask } from '../../../src/worlds/desktop/task.ts'
import { chance, pick, seededRandom, type Random } from '../../../src/worlds/random.ts'

export interface PictureLesson {
  messages: readonly WireMessage[]
  response: string
}

const STEPS = 3
const THOUGHTS = ['I look at the screen.', 'I go on.']
const REASONS = ['That is my opinion.', 'I have seen the step.']

const writer = new PictureWriter(screenPng)
const policy = instructPolicy(MARKED_PIECES, 'pixels')
const reward = instructReward(MARKED_PIECES)

/** The expert's command, with a point of the picture where it clicks. */
function pointed(state: DesktopState, draw: Random): string {
  const command = decide(state, draw)
  const element = clicked(state, command, 'names')
  if (!element) return command
  const { x, y } = centreOf(element.place)
  return `click ${Math.round((x * RELATIVE) / WIDTH)} ${Math.round((y * RELATIVE) / HEIGHT)}`
}

/** The first step of `first` tasks, and the steps and votes of `whole` others. */
export async function desktopLessons(
  { first, whole }: { first: number; whole: number },
  seed: number,
): Promise<PictureLesson[]> {
  const draw = seededRandom('picture lessons', seed)
  const lessons: PictureLesson[] = []
  const teach = async (prompt: string, response: string) =>
    lessons.push({ messages: await writer.write(messagesOf(encodeMarked(prompt))), response })
  for (const [index, { body }] of sampleTasks('train', first + whole, seed).entries()) {
    const state = startGame((body as DesktopTask).game)
    const opening = openingScreen(state, state.game.instruction, 'pixels')
    let conversation = policy.opening(opening)
    let judged = reward.opening(opening)
    for (let step = 0; step < (index < first ? 1 : STEPS) && !state.done; step++) {
      const command = pointed(state, draw)
      const response = `${pick(draw, THOUGHTS)}\nAction: ${command}`
      await teach(conversation, response)
      if (index < first) continue
      const observation = screenText(state, stepIn(state, command, 'relative').observation, 'pixels')
      conversation += response + MARKED_PIECES.responseEnd + policy.afterResponse(observation)
      judged += reward.step({ response, observation })
      await teach(judged + reward.cue, `${pick(draw, REASONS)}\nScore: ${chance(draw, 0.5) ? 1 : -1}`)
    }
  }
  return lessons
}
