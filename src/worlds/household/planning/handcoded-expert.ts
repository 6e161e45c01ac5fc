/**
 * ALFWorld's hand-coded expert, a weaker demonstrator than the one in expert.ts: it follows a fixed list of subgoals,
 * searches receptacles from the end of the opening's list (those that take the object first), closes behind itself what
 * it opened, believes it stands where it said it would go, and plays something at random when it is lost.
 *
 *     find object, take, (go to appliance, treat,) find receptacle, put     twice for two objects; with a lamp: find, use
 *
 * It works on words alone: what the last command showed and what is admissible. Differs from alfworld 0.5.0
 * (handcoded_expert.py) in three ways: it knows a `move` when it sees one (there it still waits for a "put", and so never
 * learns that its hand is empty again); it remembers what it has treated and put down where that one asks the engine;
 * and where that one breaks off with an error, it looks around.
 */
import { admissibleCommands } from '../engine/commands.ts'
import { step } from '../engine/engine.ts'
import type { Decision, ExpertRun, Subgoal } from './expert.ts'
import { treatmentOf, type Goal } from '../engine/game.ts'
import { nothingHappens, openingText } from '../engine/observations.ts'
import { pick, type Random } from '../../random.ts'
import { cloneState, type Dialect, type GameState } from '../engine/state.ts'
import { accepts, applianceType, can, openableTypes, treatments, type Treatment } from '../engine/vocabulary.ts'

/** Decisions after which it gives up, as ALFWorld has it. */
const patience = 200

/** What is to be done next: an entry of the list of subgoals, with the type of thing that it is about. */
interface Task {
  action: 'find' | 'take' | 'go' | 'put' | 'use' | Treatment
  noun: string
}

const lookAround: Decision = { command: 'look', subgoal: { kind: 'stuck' } }

export class HandcodedExpert {
  private readonly treatment: Treatment | null
  private decisions = 0
  /** Receptacles in the order of the opening. */
  private receptacles: string[] = []
  /** Objects of the last list that was read. */
  private visible: string[] = []
  /** [receptacle] objects read there, without those taken since. */
  private readonly seenAt = new Map<string, string[]>()
  /** [type] the receptacle where one was seen last. */
  private readonly lastSeen = new Map<string, string>()
  /** Where it last said it would go; not always where it is. */
  private here = ''
  private hasCheckedHere = false
  private toCheck: string[] = []
  private carried: { object: string; from: string } | null = null
  private toClose: string[] = []
  private readonly placed = new Set<string>()
  private readonly treated = new Set<string>()

  constructor(
    private readonly goal: Goal,
    private readonly dialect: Dialect,
    private readonly random: Random,
  ) {
    this.treatment = treatmentOf(goal.taskType)
  }

  /**
   * The next command. `observation` is what `last` showed, whoever played it; at the start `last` is empty and the
   * observation is the opening. Null once it has given up.
   */
  decide(last: string, observation: string, admissible: readonly string[]): Decision | null {
    if (last === '') {
      this.receptacles = listedNames(observation)
      return lookAround
    }
    if (++this.decisions > patience) return null
    this.noteCommand(last, observation)
    this.noteObservation(observation)
    const decision = this.act(this.nextTask(admissible), last, observation)
    const isAdmissible = admissible.includes(decision.command)
    if (decision.command === last || (last === 'look' && !isAdmissible)) {
      return { command: pick(this.random, admissible), subgoal: { kind: 'stuck' } }
    }
    return isAdmissible ? decision : lookAround
  }

  private noteCommand(last: string, observation: string): void {
    const going = /^go to (.+)$/.exec(last)
    if (going) {
      // Even if nothing happened: then it often stands there already.
      this.here = going[1]!
      this.toCheck = this.toCheck.filter((receptacle) => receptacle !== this.here)
      this.hasCheckedHere = !openableTypes.has(nounOf(this.here)) || observation.includes('open')
    }
    if (observation.startsWith(nothingHappens)) return
    if (last === `open ${this.here}`) {
      this.hasCheckedHere = true
      this.toClose.push(`close ${this.here}`)
      return
    }
    if (last.startsWith('close ')) {
      this.toClose = this.toClose.filter((command) => command !== last)
      return
    }
    const [, verb, object, receptacle] =
      /^(take|move|put|clean|heat|cool) (\S+ \d+) (?:from|to|in\/on|with) (\S+ \d+)$/.exec(last) ?? []
    if (object === undefined || receptacle === undefined) return
    if (verb === 'take') {
      this.carried = { object, from: receptacle }
      this.placed.delete(object)
      this.forget(object)
    } else if (verb === 'move' || verb === 'put') {
      this.carried = null
      this.forget(object)
      if (nounOf(object) === this.goal.object && nounOf(receptacle) === this.goal.target) this.placed.add(object)
    } else if (verb === this.treatment) this.treated.add(object)
    // Heating undoes cooling, and the other way round.
    else if (verb !== 'clean' && this.treatment !== 'clean') this.treated.delete(object)
  }

  private forget(object: string): void {
    const without = (objects: readonly string[]) => objects.filter((other) => other !== object)
    this.lastSeen.delete(nounOf(object))
    this.visible = without(this.visible)
    this.seenAt.set(this.here, without(this.seenAt.get(this.here) ?? []))
  }

  private noteObservation(observation: string): void {
    if (observation.includes('you see nothing')) this.visible = []
    const receptacle = /(?:The (\S+ \d+) is open\. In it|On the (\S+ \d+)), you see/.exec(observation)
    if (!receptacle) return
    const at = receptacle[1] ?? receptacle[2]!
    this.seenAt.set(at, listedNames(observation))
    this.visible = listedNames(observation).filter((object) => !this.placed.has(object))
    for (const object of this.visible) this.lastSeen.set(nounOf(object), at)
  }

  private get holdsRightObject(): boolean {
    return this.carried !== null && nounOf(this.carried.object) === this.goal.object
  }

  /** How far it has come. */
  private nextTask(admissible: readonly string[]): Task {
    const { taskType, object, target } = this.goal
    const can = (beginning: string) => admissible.some((command) => command.startsWith(`${beginning} `))
    if (this.carried !== null && this.holdsRightObject) {
      if (taskType === 'look_at_obj_in_light') return { action: can(`use ${target}`) ? 'use' : 'find', noun: target }
      if (this.treatment !== null && !this.treated.has(this.carried.object)) {
        if (can(`${this.treatment} ${object}`)) return { action: this.treatment, noun: object }
        return { action: 'go', noun: applianceType[this.treatment] }
      }
      const canPut = can(this.put(this.carried.object, target))
      return { action: canPut && nounOf(this.here) === target ? 'put' : 'find', noun: target }
    }
    const isSeenHere = (this.seenAt.get(this.here) ?? []).some((name) => nounOf(name) === object)
    const wouldUndo = [...this.placed].some((name) => can(`take ${name}`))
    return { action: isSeenHere && can(`take ${object}`) && !wouldUndo ? 'take' : 'find', noun: object }
  }

  private act({ action, noun }: Task, last: string, observation: string): Decision {
    const seesClosed = observation.includes('closed') && !this.hasCheckedHere
    const wanted = this.visible.filter((object) => nounOf(object) === noun)
    if (action === 'find') {
      const isFound = wanted.length > 0 || (this.isAt(noun) && this.hasCheckedHere && !this.holdsWrongObject)
      if (!isFound) return this.search(noun, last, seesClosed)
      this.toClose = []
    }
    this.toCheck = []
    const object = this.carried?.object ?? ''
    const receptacle = this.here
    const openHere = { command: `open ${this.here}`, subgoal: this.finding(noun, this.here) }
    const examineHere = { command: `examine ${this.here}`, subgoal: this.finding(noun, this.here) }
    switch (action) {
      case 'find':
        return this.holdsWrongObject ? this.bringBack() : observation.includes('closed') ? openHere : examineHere
      case 'go': {
        const appliance = this.receptaclesOf(noun)[0]
        if (appliance === undefined || this.treatment === null) return lookAround
        const subgoal: Subgoal = { kind: 'go-to-appliance', treatment: this.treatment, object, receptacle: appliance }
        return { command: `go to ${appliance}`, subgoal }
      }
      case 'take': {
        if (seesClosed && this.visible.length === 0) return openHere
        if (wanted.length === 0) return examineHere
        const chosen = pick(this.random, wanted)
        return { command: `take ${chosen} from ${receptacle}`, subgoal: { kind: 'take', object: chosen, receptacle } }
      }
      case 'put':
        return seesClosed
          ? openHere
          : { command: this.put(object, receptacle), subgoal: { kind: 'put', object, receptacle } }
      case 'use': {
        if (wanted.length === 0) return examineHere
        const lamp = pick(this.random, wanted)
        return { command: `use ${lamp}`, subgoal: { kind: 'use', lamp, receptacle } }
      }
      default:
        return {
          command: `${action} ${object} with ${receptacle}`,
          subgoal: { kind: 'treat', treatment: action, object, receptacle },
        }
    }
  }

  private search(noun: string, last: string, seesClosed: boolean): Decision {
    const seen = this.lastSeen.get(noun)
    if (seen !== undefined) this.toCheck = [seen]
    else if (this.toCheck.length === 0) this.toCheck = this.candidatesFor(noun)
    if (this.hasCheckedHere) this.toCheck = this.toCheck.filter((receptacle) => receptacle !== this.here)
    if (this.holdsWrongObject) return this.bringBack()
    const isAfterTreatment = treatments.some((treatment) => last.startsWith(`${treatment} `))
    if (seen === undefined && seesClosed && !isAfterTreatment) {
      return { command: `open ${this.here}`, subgoal: this.finding(noun, this.here) }
    }
    const close = this.toClose.pop()
    if (close !== undefined) return { command: close, subgoal: this.finding(noun, this.here) }
    const next = this.toCheck.at(-1)
    return next === undefined ? lookAround : { command: `go to ${next}`, subgoal: this.finding(noun, next) }
  }

  /** Taken from the end, so the likely ones come last; what holds things itself is looked for everywhere alike. */
  private candidatesFor(noun: string): string[] {
    const ofType = this.receptaclesOf(noun)
    if (ofType.length > 0) return ofType
    const isLikely = (receptacle: string) => !can(noun, 'container') && accepts(nounOf(receptacle), noun)
    return [...this.receptacles.filter((r) => !isLikely(r)), ...this.receptacles.filter(isLikely)]
  }

  /** In bathrooms whose sink is a bathtub, that one. */
  private receptaclesOf(type: string): string[] {
    const ofType = (wanted: string) => this.receptacles.filter((receptacle) => nounOf(receptacle) === wanted)
    const found = ofType(type)
    return found.length === 0 && type === 'sinkbasin' ? ofType('bathtubbasin') : found
  }

  private isAt(noun: string): boolean {
    return this.here !== '' && (this.lastSeen.get(noun) === this.here || nounOf(this.here) === noun)
  }

  private get holdsWrongObject(): boolean {
    return this.carried !== null && !this.holdsRightObject
  }

  private bringBack(): Decision {
    const { object, from } = this.carried!
    const command = this.here === from ? this.put(object, from) : `go to ${from}`
    return { command, subgoal: { kind: 'put-away', object, receptacle: from } }
  }

  private put(object: string, receptacle: string): string {
    return this.dialect === 'v1' ? `put ${object} in/on ${receptacle}` : `move ${object} to ${receptacle}`
  }

  /** What looking for something means to a reader: bringing something, if that is in the hand already. */
  private finding(noun: string, receptacle: string): Subgoal {
    if (!this.holdsRightObject || this.goal.taskType === 'look_at_obj_in_light')
      return { kind: 'find', noun, receptacle }
    return { kind: 'go-to-receptacle', object: this.carried!.object, receptacle }
  }
}

/** "…, you see a mug 1, and a cup 2." */
function listedNames(observation: string): string[] {
  const [, list = ''] = /.*you see (.*?)\.(?:\n|$)/s.exec(observation) ?? []
  return [...list.matchAll(/(?:^|, |and )a (\S+ \d+)/g)].map(([, name]) => name!)
}

function nounOf(name: string): string {
  return name.split(' ', 1)[0]!
}

/** Lets the expert play on from a state, on a copy of it, until the game is over or it gives up. */
export function playHandcodedExpert(state: GameState, random: Random): ExpertRun {
  const game = cloneState(state)
  const expert = new HandcodedExpert(game.game.goal, game.dialect, random)
  const commands: string[] = []
  let observation = openingText(game)
  while (!game.done) {
    const decision = expert.decide(commands.at(-1) ?? '', observation, admissibleCommands(game))
    if (decision === null) break
    commands.push(decision.command)
    observation = step(game, decision.command).observation
  }
  return { won: game.won, commands }
}
