/** A game that a person makes: the choice, what is wrong with it, and the game. The choice survives a reload. */
import * as v from 'valibot'
import { taskTypes, type HouseholdGame } from '../../../worlds/household/engine/game.ts'
import { compactFloorPlan } from '../../../worlds/household/generator/compact/floor-plans.ts'
import type { FloorPlan } from '../../../worlds/household/generator/floor-plans.ts'
import {
  drawOwnGame,
  layoutsOf,
  objectsIn,
  OwnGameError,
  targetsIn,
} from '../../../worlds/household/generator/own-game.ts'
import { rooms, type Room } from '../../../worlds/household/corpus/statistics.ts'
import { readLocal, writeLocal } from '../../kit/local-text.ts'

const KEY = 'playground.own-game'

const draftShape = v.object({
  room: v.picklist(rooms),
  floorPlan: v.number(),
  taskType: v.picklist(taskTypes),
  object: v.string(),
  target: v.string(),
  seed: v.number(),
})
export type OwnGameDraft = v.InferOutput<typeof draftShape>

const FIRST: OwnGameDraft = {
  room: 'kitchen',
  floorPlan: 1,
  taskType: 'pick_cool_then_place_in_recep',
  object: 'apple',
  target: 'countertop',
  seed: 1,
}
const keptDraft = v.fallback(v.pipe(v.string(), v.parseJson(), draftShape), FIRST)

export class OwnGame {
  #draft = $state.raw<OwnGameDraft>(offered(v.parse(keptDraft, readLocal(KEY))))
  readonly #drawn = $derived.by(() => drawn(this.#draft))

  get draft(): OwnGameDraft {
    return this.#draft
  }
  get plan(): FloorPlan {
    return compactFloorPlan(this.#draft.floorPlan)
  }
  get layouts(): readonly FloorPlan[] {
    return layoutsOf(this.#draft.room)
  }
  get objects(): readonly string[] {
    return objectsIn(this.plan)
  }
  get targets(): readonly string[] {
    return targetsIn(this.plan, this.#draft.taskType)
  }
  /** Null while something is wrong. */
  get game(): HouseholdGame | null {
    return this.#drawn.game
  }
  /** What is wrong with the choice, in a sentence; null if nothing is. */
  get fault(): string | null {
    return this.#drawn.fault
  }

  /** What another room or goal does not offer falls back to its first. */
  change(fields: Partial<OwnGameDraft>): void {
    this.#draft = offered({ ...this.#draft, ...fields })
    writeLocal(KEY, JSON.stringify(this.#draft))
  }
}

function offered(draft: OwnGameDraft): OwnGameDraft {
  const layouts = layoutsOf(draft.room)
  const plan = layouts.find(({ number }) => number === draft.floorPlan) ?? layouts[0]!
  const among = (types: readonly string[], type: string) => (types.includes(type) ? type : types[0]!)
  return {
    ...draft,
    floorPlan: plan.number,
    object: among(objectsIn(plan), draft.object),
    target: among(targetsIn(plan, draft.taskType), draft.target),
  }
}

function drawn({ floorPlan, taskType, object, target, seed }: OwnGameDraft): {
  game: HouseholdGame | null
  fault: string | null
} {
  try {
    return { game: drawOwnGame({ floorPlan, goal: { taskType, object, target }, seed }), fault: null }
  } catch (error) {
    if (error instanceof OwnGameError) return { game: null, fault: error.message }
    throw error
  }
}

export const ROOM_TITLES: Readonly<Record<Room, string>> = {
  kitchen: 'Kitchen',
  livingRoom: 'Living room',
  bedroom: 'Bedroom',
  bathroom: 'Bathroom',
}

export const GOAL_TITLES: Readonly<Record<OwnGameDraft['taskType'], string>> = {
  pick_and_place_simple: 'Put it somewhere',
  look_at_obj_in_light: 'Look at it under a lamp',
  pick_clean_then_place_in_recep: 'Clean it, then put it somewhere',
  pick_heat_then_place_in_recep: 'Heat it, then put it somewhere',
  pick_cool_then_place_in_recep: 'Cool it, then put it somewhere',
  pick_two_obj_and_place: 'Put two of them somewhere',
}
