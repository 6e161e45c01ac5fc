/**
 * Exact shortest plans, without search.
 *
 * All places are one `go to` apart, a receptacle is opened at most once, and the object in the hand determines what must
 * happen next. So every shortest plan is one of a few kinds of errand lists (put away what is in the way, fetch, treat,
 * deliver; twice for two objects), and its length is
 *
 *     errands + changes of place + distinct closed receptacles that are reached into.
 *
 * The planner takes the minimum over all objects, sources, appliances and receptacles. Two facts make this less obvious than
 * it looks: an object listed by two receptacles stays in one when taken from the other (so treating it may already win), and
 * errands share the opening of a receptacle (so the best receptacle to put something away may be one that is needed later).
 */
import { condition, goalCondition, type GameState } from '../engine/state.ts'
import type { Treatment } from '../engine/vocabulary.ts'
import { worldOf, type World } from '../engine/rooms.ts'
import { goalAim, type Aim } from './aim.ts'

/** The world that the planner assumes: the truth, or an agent's beliefs. */
export interface View {
  /** [receptacle] its place. */
  placeOf: ArrayLike<number>
  /** [receptacle] 1 if it must be opened to reach into it. */
  closed: ArrayLike<number>
  /** [object] receptacles known to list it. */
  whereabouts: readonly (readonly number[])[]
}

export interface Errand {
  /** `visit` only requires being there (for a lamp that is already on). */
  verb: 'take' | 'move' | Treatment | 'use' | 'visit'
  object: number
  receptacle: number
}

export interface Plan {
  /** Commands in all. */
  length: number
  errands: Errand[]
}

export function trueView(state: GameState): View {
  const world = worldOf(state.game)
  const closed = new Uint8Array(world.receptacles.length)
  for (let r = 0; r < closed.length; r++) closed[r] = world.receptacles[r]!.isOpenable && state.open[r] === 0 ? 1 : 0
  return { placeOf: world.placeOf, closed, whereabouts: state.whereabouts }
}

/** Number of commands to the goal under full knowledge; Infinity if it is out of reach. Ignores the step limit. */
export function distanceToGoal(state: GameState): number {
  if (state.won) return 0
  return shortestPlan(state, trueView(state), goalAim(worldOf(state.game)))?.length ?? Infinity
}

/** Null if there is no plan in this view. The aim must not be reached yet. */
export function shortestPlan(state: GameState, view: View, aim: Aim): Plan | null {
  const planner = new Planner(state, view)
  switch (aim.kind) {
    case 'hold':
      planner.planHold(aim.objects)
      break
    case 'deliver':
      planner.planDeliver(aim)
      break
    case 'deliver-two':
      planner.planDeliverTwo(aim.objects, aim.receptacles)
      break
    case 'light':
      planner.planLight(aim.objects, aim.lamps)
      break
  }
  return planner.best
}

const none = -1

class Planner {
  best: Plan | null = null
  private length = Infinity
  private readonly world: World
  /** [receptacle] least cost of arriving there with empty hands after putting away the held object on the way. */
  private readonly detours: (number | undefined)[] = []

  constructor(
    private readonly state: GameState,
    private readonly view: View,
  ) {
    this.world = worldOf(state.game)
  }

  planHold(objects: readonly number[]): void {
    for (const object of objects) {
      for (const source of this.sourcesOf(object)) {
        const length = this.approach(source, none, none) + this.closed(source) + 1
        if (length < this.length) this.keep(length, [...this.putAway(source, none, none), take(object, source)])
      }
    }
  }

  planDeliver(aim: Extract<Aim, { kind: 'deliver' }>): void {
    const { held, place } = this.state
    if (aim.objects.includes(held)) {
      this.deliver(aim, held, none, place, 0)
    }
    for (const object of aim.objects) {
      for (const source of this.sourcesOf(object)) {
        this.deliver(aim, object, source, this.view.placeOf[source]!, this.closed(source) + 1)
      }
    }
  }

  /** Plans from `place`, with `object` taken from `source` or already held. `cost` excludes the approach to the source. */
  private deliver(
    aim: Extract<Aim, { kind: 'deliver' }>,
    object: number,
    source: number,
    place: number,
    cost: number,
  ): void {
    const { placeOf, whereabouts } = this.view
    const fetch = (target: number) =>
      source === none ? [] : [...this.putAway(source, none, target), take(object, source)]
    const { treatment } = aim
    if (treatment === null || this.isTreated(object)) {
      for (const target of aim.receptacles) {
        if (!this.world.accepts[target]![object]) continue
        const length =
          cost +
          this.approach(source, none, target) +
          move(place, placeOf[target]!) +
          (target === source ? 0 : this.closed(target)) +
          1
        if (length < this.length) this.keep(length, [...fetch(target), put(object, target)])
      }
      return
    }
    const staysDelivered = whereabouts[object]!.some((other) => other !== source && aim.receptacles.includes(other))
    for (const appliance of aim.appliances) {
      const treated = cost + move(place, placeOf[appliance]!) + 1
      const treat: Errand = { verb: treatment, object, receptacle: appliance }
      if (staysDelivered) {
        const length = treated + this.approach(source, none, none)
        if (length < this.length) this.keep(length, [...fetch(none), treat])
      }
      for (const target of aim.receptacles) {
        if (!this.world.accepts[target]![object]) continue
        const length =
          treated +
          this.approach(source, none, target) +
          move(placeOf[appliance]!, placeOf[target]!) +
          (target === source ? 0 : this.closed(target)) +
          1
        if (length < this.length) this.keep(length, [...fetch(target), treat, put(object, target)])
      }
    }
  }

  /** Two of the objects in one of the receptacles: one may be in hand, or there already. */
  planDeliverTwo(objects: readonly number[], receptacles: readonly number[]): void {
    const { held } = this.state
    for (const target of receptacles) {
      if (!objects.some((object) => this.world.accepts[target]![object])) continue
      const isThere = (object: number) => this.view.whereabouts[object]!.includes(target)
      const isOneThere = objects.some(isThere)
      if (objects.includes(held) && !isThere(held)) this.deliverHeld(target, isOneThere ? [] : objects)
      else {
        const others = objects.filter((object) => !isThere(object))
        if (isOneThere) this.deliverOne(target, others)
        else this.deliverBoth(target, others)
      }
    }
  }

  /** Puts the held object there, and then one of `others`, if there are any. */
  private deliverHeld(target: number, others: readonly number[]): void {
    const { held, place } = this.state
    const { placeOf } = this.view
    const goal = placeOf[target]!
    const first = move(place, goal) + this.closed(target) + 1
    if (others.length === 0 && first < this.length) this.keep(first, [put(held, target)])
    for (const object of others) {
      for (const source of this.sourcesOf(object)) {
        const from = placeOf[source]!
        const length = first + move(goal, from) + this.closed(source) + 1 + move(from, goal) + 1
        if (length < this.length) this.keep(length, [put(held, target), take(object, source), put(object, target)])
      }
    }
  }

  private deliverOne(target: number, objects: readonly number[]): void {
    for (const object of objects) {
      for (const source of this.sourcesOf(object)) {
        const length = this.approach(source, none, target) + this.fetched(source, target)
        if (length < this.length)
          this.keep(length, [...this.putAway(source, none, target), take(object, source), put(object, target)])
      }
    }
  }

  private deliverBoth(target: number, objects: readonly number[]): void {
    const { placeOf } = this.view
    const goal = placeOf[target]!
    for (const object of objects) {
      for (const source of this.sourcesOf(object)) {
        const first = this.fetched(source, target)
        for (const second of objects) {
          if (second === object) continue
          for (const secondSource of this.sourcesOf(second)) {
            const back = placeOf[secondSource]!
            const length =
              this.approach(source, secondSource, target) +
              first +
              move(goal, back) +
              (secondSource === source ? 0 : this.closed(secondSource)) +
              1 +
              move(back, goal) +
              1
            if (length < this.length) {
              this.keep(length, [
                ...this.putAway(source, secondSource, target),
                take(object, source),
                put(object, target),
                take(second, secondSource),
                put(second, target),
              ])
            }
          }
        }
      }
    }
  }

  /** Steps from standing at the source to having put what is in it into the target. */
  private fetched(source: number, target: number): number {
    const { placeOf } = this.view
    return this.closed(source) + 1 + move(placeOf[source]!, placeOf[target]!) + this.closed(target) + 1
  }

  planLight(objects: readonly number[], lamps: readonly number[]): void {
    const { held, place, conditions } = this.state
    const { placeOf, whereabouts } = this.view
    for (const lamp of lamps) {
      const isOn = (conditions[lamp]! & condition.used) !== 0
      for (const stand of whereabouts[lamp]!) {
        const switchOn = isOn ? 0 : 1
        const arrive: Errand = { verb: isOn ? 'visit' : 'use', object: lamp, receptacle: stand }
        if (objects.includes(held)) {
          const length = move(place, placeOf[stand]!) + switchOn
          if (length < this.length) this.keep(length, [arrive])
          continue
        }
        for (const object of objects) {
          for (const source of this.sourcesOf(object)) {
            const length =
              this.approach(source, none, none) +
              this.closed(source) +
              1 +
              move(placeOf[source]!, placeOf[stand]!) +
              switchOn
            if (length < this.length)
              this.keep(length, [...this.putAway(source, none, none), take(object, source), arrive])
          }
        }
      }
    }
  }

  private keep(length: number, errands: Errand[]): void {
    this.length = length
    this.best = { length, errands }
  }

  /** Where an object can be taken from; empty for the object in the hand. */
  private sourcesOf(object: number): readonly number[] {
    return object === this.state.held ? [] : this.view.whereabouts[object]!
  }

  private closed(receptacle: number): number {
    return this.view.closed[receptacle]!
  }

  private isTreated(object: number): boolean {
    const wanted = goalCondition(this.state.game)
    return (this.state.conditions[object]! & wanted) === wanted
  }

  /**
   * Commands until the agent is at `source` with empty hands, not counting the opening of receptacles that later errands
   * open anyway. 0 if there is no source because the object is in the hand.
   */
  private approach(source: number, laterSource: number, target: number): number {
    if (source === none) return 0
    const { held, place } = this.state
    if (held === none) return move(place, this.view.placeOf[source]!)
    return Math.min(
      this.detour(source),
      this.detourBy(source, source),
      laterSource === none ? Infinity : this.detourBy(laterSource, source),
      target === none ? Infinity : this.detourBy(target, source),
    )
  }

  /** Cost of putting the held object into `by` on the way, if another errand pays for opening it. */
  private detourBy(by: number, source: number): number {
    if (!this.world.accepts[by]![this.state.held]) return Infinity
    const { placeOf } = this.view
    return move(this.state.place, placeOf[by]!) + 1 + move(placeOf[by]!, placeOf[source]!)
  }

  private detour(source: number): number {
    const known = this.detours[source]
    if (known !== undefined) return known
    let least = Infinity
    for (let by = 0; by < this.world.receptacles.length; by++) {
      least = Math.min(least, this.detourBy(by, source) + this.closed(by))
    }
    this.detours[source] = least
    return least
  }

  private putAway(source: number, laterSource: number, target: number): Errand[] {
    const { held } = this.state
    if (held === none) return []
    const least = this.approach(source, laterSource, target)
    for (const by of [source, laterSource, target]) {
      if (by !== none && this.detourBy(by, source) === least) return [put(held, by)]
    }
    for (let by = 0; by < this.world.receptacles.length; by++) {
      if (this.detourBy(by, source) + this.closed(by) === least) return [put(held, by)]
    }
    return []
  }
}

function move(from: number, to: number): 0 | 1 {
  return from === to ? 0 : 1
}

function take(object: number, receptacle: number): Errand {
  return { verb: 'take', object, receptacle }
}

function put(object: number, receptacle: number): Errand {
  return { verb: 'move', object, receptacle }
}
