/** Games in files, as in a release, for tests that import them: made up, and won by their walkthroughs. */
import { taskSentence, type HouseholdGame } from '../../src/environments/household/game.ts'
import { generateGame } from '../../src/environments/household/generator.ts'
import { distanceToGoal } from '../../src/environments/household/plan.ts'
import { nextCommandKnowingAll } from '../../src/environments/household/expert.ts'
import { step } from '../../src/environments/household/engine.ts'
import { startGame } from '../../src/environments/household/state.ts'
import type { OfficialSplit } from '../../src/games/game-import.ts'
import { gameText } from '../environments/household/official/game-text.ts'

export interface WrittenGame {
  /** As it is in a release: "json_2.1.1/train/…/game.tw-pddl". */
  path: string
  text: string
  /** Commands that win it. */
  walkthrough: string[]
  /** What the agent is told to do. */
  sentence: string
}

/** A small game that nobody has written before, in the folders of a release. */
export function writtenGame(seed: number, split: OfficialSplit): WrittenGame {
  const game = generateGame({ seed, split: 'train', sceneSize: 'compact' })
  const { taskType, object, target } = game.goal
  const folder = `${taskType}-${object}-None-${target}-${game.floorPlan}`
  const walkthrough = walkthroughOf(game)
  return {
    path: `json_2.1.1/${split}/${folder}/trial_T${seed}/game.tw-pddl`,
    text: gameText(game, { walkthrough }),
    walkthrough,
    sentence: taskSentence(game),
  }
}

function walkthroughOf(game: HouseholdGame): string[] {
  const state = startGame(game)
  const commands: string[] = []
  while (distanceToGoal(state) > 0) {
    commands.push(nextCommandKnowingAll(state).command)
    step(state, commands.at(-1)!)
  }
  return commands
}
