import { describe, expect, it } from 'vitest'
import { rooms, unseenFloorPlans } from '../../../../src/worlds/household/corpus/statistics.ts'
import { taskTypes, type TaskType } from '../../../../src/worlds/household/engine/game.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import { applianceType } from '../../../../src/worlds/household/engine/vocabulary.ts'
import { treatmentOf } from '../../../../src/worlds/household/engine/game.ts'
import { compactFloorPlan } from '../../../../src/worlds/household/generator/compact/floor-plans.ts'
import {
  drawOwnGame,
  goalFault,
  layoutsOf,
  objectsIn,
  OwnGameError,
  targetsIn,
} from '../../../../src/worlds/household/generator/own-game.ts'
import { isSensibleGoal } from '../../../../src/worlds/household/generator/sensible-goals.ts'
import { splitOf } from '../../../../src/worlds/household/generator/splits.ts'
import { nextCommandKnowingAll } from '../../../../src/worlds/household/planning/expert.ts'
import { applyRewrite } from '../../../../src/worlds/household/rewrites/apply.ts'
import { possibleRewrites } from '../../../../src/worlds/household/rewrites/candidates.ts'
import { taskOf } from '../../../../src/worlds/household/task.ts'

/** Every goal that the form offers in a layout. */
const offered = (number: number, taskType: TaskType) => {
  const plan = compactFloorPlan(number)
  return objectsIn(plan).flatMap((object) => targetsIn(plan, taskType).map((target) => ({ taskType, object, target })))
}

describe('a game that a person makes', () => {
  it('is refused just where the generator would never ask for it in training, or the room lacks what it needs', () => {
    let refused = 0
    for (const room of rooms)
      for (const plan of layoutsOf(room))
        for (const taskType of taskTypes) {
          const treatment = treatmentOf(taskType)
          const types = plan.receptacles.map(({ type }) => type)
          const hasAppliance = treatment === null || types.includes(applianceType[treatment])
          for (const goal of offered(plan.number, taskType)) {
            const fault = goalFault(plan, goal)
            if (fault !== null) refused++
            if (taskType === 'look_at_obj_in_light') continue
            const isTrained = splitOf(plan.number, goal) === 'train'
            expect([goal, fault === null]).toEqual([goal, isSensibleGoal(goal) && hasAppliance && isTrained])
          }
        }
    expect(refused).toBeGreaterThan(1000)
  })

  it('can be won by the commands of the expert, and is the same for the same choice', () => {
    for (const room of rooms)
      for (const taskType of taskTypes) {
        const { number } = layoutsOf(room)[3]!
        const goal = offered(number, taskType).find((each) => goalFault(compactFloorPlan(number), each) === null)
        if (!goal) continue
        const choice = { floorPlan: number, goal, seed: 7 }
        const game = drawOwnGame(choice)
        expect(drawOwnGame(choice)).toEqual(game)
        expect(game.goal).toEqual(goal)
        const state = startGame(game, { stepLimit: 50 })
        while (!state.done) step(state, nextCommandKnowingAll(state).command)
        expect([goal, state.won]).toEqual([goal, true])
      }
  })

  it('leaves floor plans and goals that measure generalisation unseen, also when it is rewritten', () => {
    expect(rooms.flatMap(layoutsOf).filter(({ number }) => unseenFloorPlans.includes(number))).toEqual([])
    const measured = { id: 0, ood: 0, null: 0 }
    for (const number of [1, ...unseenFloorPlans])
      for (const goal of offered(number, 'pick_and_place_simple')) {
        const split = splitOf(number, goal)
        if (split === 'train') continue
        const fault = goalFault(compactFloorPlan(number), goal)
        if (!isSensibleGoal(goal)) continue
        expect(fault).toMatch(/^This goal is kept for measuring generalisation\./)
        measured[`${split}`]++
      }
    expect(Math.min(...Object.values(measured))).toBeGreaterThan(0)

    const goal = { taskType: 'pick_and_place_simple', object: 'apple', target: 'countertop' } as const
    const task = taskOf(drawOwnGame({ floorPlan: 1, goal, seed: 1 }))
    const goals = possibleRewrites(task, 'harder', { allowsIdGoals: true }).filter(({ kind }) => kind === 'change-goal')
    const reasons = goals.map((rewrite) => applyRewrite(task, rewrite, 'new')).map((out) => (out.ok ? '' : out.reason))
    expect(new Set(reasons)).toEqual(new Set(['', 'held-out']))
  })

  it('says what is wrong with a choice, and what can be chosen instead', () => {
    const kitchen = compactFloorPlan(1)
    const fault = (taskType: TaskType, object: string, target: string) =>
      goalFault(kitchen, { taskType, object, target })
    expect(fault('pick_heat_then_place_in_recep', 'knife', 'countertop')).toMatch(
      /^You cannot heat a knife\. Choose apple, bread, cup, egg, mug/,
    )
    expect(fault('pick_cool_then_place_in_recep', 'apple', 'fridge')).toBe(
      'The fridge is where you cool it. Choose another place to put it.',
    )
    expect(fault('pick_and_place_simple', 'knife', 'fridge')).toMatch(/^A fridge takes no knife\. Choose .*countertop/)
    const bathroom = layoutsOf('bathroom')[0]!
    const cool = { taskType: 'pick_cool_then_place_in_recep', object: 'cloth', target: 'cabinet' } as const
    expect(goalFault(bathroom, cool)).toBe('This room has no fridge to cool a thing in. Choose another layout or goal.')
    expect(() => drawOwnGame({ floorPlan: bathroom.number, goal: cool, seed: 1 })).toThrow(OwnGameError)
  })
})
