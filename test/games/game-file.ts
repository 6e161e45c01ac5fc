/** Writes games as ALFWorld's "game.tw-pddl", for tests that import files; only what a reader needs is in them. */
import { goalSentence, treatmentOf, type Goal, type HouseholdGame } from '../../src/environments/household/game.ts'
import { generateGame } from '../../src/environments/household/generator.ts'
import { distanceToGoal } from '../../src/environments/household/plan.ts'
import { nextCommandKnowingAll } from '../../src/environments/household/expert.ts'
import { step } from '../../src/environments/household/engine.ts'
import { startGame } from '../../src/environments/household/state.ts'
import { accepts, can, type Capability } from '../../src/environments/household/vocabulary.ts'
import type { OfficialSplit } from '../../src/games/game-import.ts'

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
    text: gameFile(game, walkthrough),
    walkthrough,
    sentence: `${goalSentence(game.goal, game.phrasing)}.`,
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

export function gameFile(game: HouseholdGame, walkthrough: readonly string[]): string {
  const sentence = `Your task is to: ${goalSentence(game.goal, game.phrasing)}.`
  return JSON.stringify({
    pddl_domain: '(define (domain alfred))',
    grammar: `grammar :: """{ "task": [ { "rhs": "${sentence}" } ] }"""`,
    pddl_problem: problemOf(game),
    solvable: true,
    walkthrough,
  })
}

const FLAGS: readonly [predicate: string, capability: Capability][] = [
  ['pickupable', 'pickupable'],
  ['cleanable', 'cleanable'],
  ['heatable', 'heatable'],
  ['coolable', 'coolable'],
  ['sliceable', 'sliceable'],
  ['isReceptacleObject', 'container'],
  ['toggleable', 'lamp'],
]

function problemOf({ receptacles, objects, goal, open, cool }: HouseholdGame): string {
  // Ids sort as the lists do; numbers are handed out from the highest down, as they are in the game.
  const idOf = ({ noun }: { noun: string }, index: number) =>
    `${noun.replace(/basin$/, '')}_bar_${String(index).padStart(3, '0')}${noun.endsWith('basin') ? `_${noun}` : ''}`
  const receptacleIds = receptacles.map(idOf)
  const objectIds = objects.map(idOf)
  const placeOf = (place: number) => `loc_bar_${place}`
  const types = [...new Set(receptacles.map(({ type }) => type))]
  const held = [...new Set(objects.map(({ type }) => type))]
  const list = (names: readonly string[], type: string) => names.map((name) => `${name} - ${type}`)
  const things = [
    'agent1 - agent',
    'loc_bar_start - location',
    ...list([...new Set(receptacles.map(({ place }) => placeOf(place)))], 'location'),
    ...list(receptacleIds, 'receptacle'),
    ...list(objectIds, 'object'),
    ...list(
      [...new Set([...types, goal.target])].map((type) => `${type}Type`),
      'rtype',
    ),
    ...list(
      [...new Set([...held, goal.object])].map((type) => `${type}Type`),
      'otype',
    ),
  ]
  const facts = [
    'atLocation agent1 loc_bar_start',
    ...receptacles.flatMap(({ type, place, isOpenable }, index) => [
      `receptacleType ${receptacleIds[index]} ${type}Type`,
      `receptacleAtLocation ${receptacleIds[index]} ${placeOf(place)}`,
      ...(isOpenable ? [`openable ${receptacleIds[index]}`] : []),
    ]),
    ...objects.flatMap((object, index) => {
      const id = objectIds[index]!
      const first = object.in[0]
      return [
        `objectType ${id} ${object.type}Type`,
        ...FLAGS.filter(([, capability]) => can(object.type, capability)).map(([predicate]) => `${predicate} ${id}`),
        ...object.in.map((receptacle) => `inReceptacle ${id} ${receptacleIds[receptacle]}`),
        ...(first === undefined ? [] : [`objectAtLocation ${id} ${placeOf(receptacles[first]!.place)}`]),
      ]
    }),
    ...types.flatMap((holder) =>
      held.filter((type) => accepts(holder, type)).map((type) => `canContain ${holder}Type ${type}Type`),
    ),
    ...open.map((receptacle) => `opened ${receptacleIds[receptacle]}`),
    ...cool.map((object) => `isCool ${objectIds[object]}`),
  ]
  return `(define (problem plan_trial) (:domain alfred)
    (:objects ${things.join('\n')})
    (:init ${facts.map((fact) => `(${fact})`).join('\n')})
    (:goal ${goalOf(goal)}))`
}

function goalOf({ taskType, object, target }: Goal): string {
  const there = (name: string) => `(inReceptacle ${name} ?r) (objectType ${name} ${object}Type)`
  switch (taskType) {
    case 'look_at_obj_in_light':
      return `(exists (?t - object ?r - receptacle ?l - location ?a - agent ?b - agent ?o - object) (and
        (objectType ?t ${target}Type) (toggleable ?t) (isToggled ?t) (inReceptacle ?t ?r) (receptacleAtLocation ?r ?l)
        (atLocation ?a ?l) (objectType ?o ${object}Type) (holds ?b ?o)))`
    case 'pick_two_obj_and_place':
      return `(exists (?r - receptacle ?o - object ?p - object) (and ${there('?o')} ${there('?p')}
        (not (= ?o ?p)) (receptacleType ?r ${target}Type)))`
    default: {
      const treatment = treatmentOf(taskType)
      const state = { clean: '(cleanable ?o) (isClean ?o)', heat: '(heatable ?o) (isHot ?o)', cool: '(coolable ?o) (isCool ?o)' } // prettier-ignore
      return `(exists (?r - receptacle ?o - object) (and ${there('?o')} (receptacleType ?r ${target}Type)
        ${treatment ? state[treatment] : ''}))`
    }
  }
}
