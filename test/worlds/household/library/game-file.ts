/** Invented games in files, as in a release, for tests of the import. Their walkthroughs win. */
import { taskSentence, type HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { distanceToGoal } from '../../../../src/worlds/household/planning/plan.ts'
import { nextCommandKnowingAll } from '../../../../src/worlds/household/planning/expert.ts'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import type { OfficialSplit } from '../../../../src/worlds/household/library/game-library.ts'
import { gameText } from '../official/game-text.ts'

export interface WrittenGame {
  /** As in a release: "json_2.1.1/train/…/game.tw-pddl". */
  path: string
  text: string
  /** Commands that win it. */
  walkthrough: string[]
  /** The agent's instruction. */
  sentence: string
}

/** A small invented game in the folders of a release. */
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
