/** Applies a rewrite to a game without checking that it is valid. Existing names never change. */
import { objectCounts, roomOf } from '../corpus/statistics.ts'
import { nameOf, withCoolTargets, type GameObject, type HouseholdGame } from '../engine/game.ts'
import { drawPlacement } from '../corpus/placement.ts'
import { pickWeighted, seededRandom } from '../../random.ts'
import type { TaskRewrite } from './language.ts'
import { can } from '../engine/vocabulary.ts'

export function rewriteGame(game: HouseholdGame, rewrite: TaskRewrite): HouseholdGame {
  switch (rewrite.kind) {
    case 'add-hint':
    case 'remove-hints':
      return game
    case 'change-goal': {
      // A crowd worker's sentence describes the previous goal.
      const { sentence: _, ...rest } = game
      return withCoolTargets({ ...rest, goal: { ...game.goal, object: rewrite.object, target: rewrite.target } })
    }
    case 'add-distractors':
      return withCoolTargets(addDistractors(game, rewrite.count, rewrite.seed ?? 0))
    case 'remove-object':
      return withCoolTargets(
        removeObject(
          game,
          game.objects.findIndex((object) => nameOf(object) === rewrite.object),
        ),
      )
    case 'open':
      return { ...game, open: [...game.open, receptacleNamed(game, rewrite.receptacle)] }
    case 'close': {
      const closed = receptacleNamed(game, rewrite.receptacle)
      return { ...game, open: game.open.filter((receptacle) => receptacle !== closed) }
    }
    case 'move': {
      const to = receptacleNamed(game, rewrite.receptacle)
      const objects = game.objects.map((object): GameObject => {
        if (nameOf(object) !== rewrite.object) return object
        const { place: _, inside: __, ...rest } = object
        return { ...rest, in: [to] }
      })
      return withCoolTargets({ ...game, objects })
    }
  }
}

export function receptacleNamed(game: HouseholdGame, name: string): number {
  return game.receptacles.findIndex((receptacle) => nameOf(receptacle) === name)
}

/** Adds objects of common types, except the goal's type and lamps. Frequent types are more likely. */
function addDistractors(game: HouseholdGame, count: number, seed: number): HouseholdGame {
  const random = seededRandom('distractors', seed)
  const laws = objectCounts[roomOf(game.floorPlan)]
  const types = Object.keys(laws).filter((type) => type !== game.goal.object && can(type, 'pickupable'))
  let result = game
  for (let added = 0; added < count; added++) {
    const type = pickWeighted(random, types, (candidate) => laws[candidate]!.share)
    const where = type === null ? null : drawPlacement(random, game.receptacles, type)
    if (type !== null && where !== null) result = addObject(result, type, where)
  }
  return result
}

/** Gives the object the next number of its noun, so that it is listed first and no other is renamed. */
function addObject(game: HouseholdGame, type: string, receptacle: number): HouseholdGame {
  const same = game.objects.filter((object) => object.noun === type)
  const number = Math.max(0, ...same.map((object) => object.number)) + 1
  const later = game.objects.findIndex((object) => object.noun >= type)
  const at = later < 0 ? game.objects.length : later
  const shift = (index: number) => (index >= at ? index + 1 : index)
  const objects = game.objects.map((object) => withInside(object, shift))
  objects.splice(at, 0, { type, noun: type, number, in: [receptacle] })
  return { ...game, objects, cool: game.cool.map(shift) }
}

function removeObject(game: HouseholdGame, at: number): HouseholdGame {
  if (at < 0) return game
  const shift = (index: number) => (index > at ? index - 1 : index)
  const objects = game.objects.flatMap((object, index) => {
    if (index === at) return []
    const { inside, ...rest } = object
    const left = inside?.filter((outer) => outer !== at) ?? []
    return [left.length === 0 ? rest : withInside({ ...rest, inside: left }, shift)]
  })
  return { ...game, objects, cool: game.cool.filter((index) => index !== at).map(shift) }
}

function withInside(object: GameObject, shift: (index: number) => number): GameObject {
  return object.inside === undefined ? object : { ...object, inside: object.inside.map(shift) }
}
