/**
 * A second, slow model of the game that shares no code with the first. It plays a game file of ALFWorld from its text
 * alone: the domain and the problem are PDDL, and the sentences come from its grammar.
 */
import { readFileSync } from 'node:fs'
import { FactSet } from './facts.ts'
import { Grammar, type Entity, type Mapping, type Scene } from './grammar.ts'
import { namesOf } from './names.ts'
import { PlanningTask, type Operator } from './task.ts'

/** The parts of game.tw-pddl that matter for playing. */
export interface GameText {
  pddl_domain: string
  pddl_problem: string
  grammar: string
  walkthrough: string[]
}

export function readGameText(path: string): GameText {
  return JSON.parse(readFileSync(path, 'utf8')) as GameText
}

export interface PddlStep {
  observation: string
  won: boolean
}

export class PddlGame implements Scene {
  readonly opening: string
  readonly facts = new FactSet()
  readonly denials = new FactSet()
  private readonly task: PlanningTask
  private readonly grammar: Grammar
  private readonly entities: ReadonlyMap<string, Entity>
  /** The admissible operators. Those that share a command (a lamp that two receptacles list) do the same. */
  private possible: { command: string; operator: Operator }[] = []

  constructor(text: GameText) {
    this.task = new PlanningTask(text.pddl_domain, text.pddl_problem)
    this.grammar = new Grammar(text.grammar)
    for (const atom of this.task.init) this.facts.add(atom)
    const ids = this.task.init.flatMap(({ args }) => args)
    this.entities = new Map([...namesOf(ids)].map(([id, name]) => [id, { id, name, indefinite: 'a' }]))
    this.opening = this.grammar.derive('#intro#', this, new Map())
    this.listCommands()
  }

  get admissibleCommands(): string[] {
    return [...new Set(this.possible.map(({ command }) => command))].sort()
  }

  step(text: string): PddlStep {
    const stripped = pythonStrip(text)
    const operator = this.possible.find(({ command }) => command === stripped)?.operator
    if (!operator) return { observation: 'Nothing happens.', won: this.task.isGoalMet(this.facts) }
    for (const { isNegated, ...atom } of this.task.effectsOf(operator, this.facts)) {
      const [from, to] = isNegated ? [this.facts, this.denials] : [this.denials, this.facts]
      from.delete(atom)
      to.add(atom)
    }
    const { feedback } = this.grammar.actions.get(operator.action.name)!
    const observation = this.grammar.derive(feedback, this, mappingOf(operator))
    this.listCommands()
    return { observation, won: this.task.isGoalMet(this.facts) }
  }

  private listCommands(): void {
    this.possible = this.task.applicableOperators(this.facts).map((operator) => {
      const mapping = mappingOf(operator)
      const { template } = this.grammar.actions.get(operator.action.name)!
      const names = new Map([...mapping].map(([key, id]) => [key.split(':', 1)[0]!, this.entityOf(id).name]))
      // Plain "{r}" is left for the names; "[{… | …}]" is the grammar's.
      const command = template
        .split(/(\[.*?\])/)
        .map((part) =>
          part.startsWith('[')
            ? this.grammar.derive(part, this, mapping)
            : part.replace(/\{(\w+)\}/g, (_, name: string) => names.get(name)!),
        )
        .join('')
      return { command, operator }
    })
  }

  entityOf(id: string): Entity {
    const entity = this.entities.get(id)
    if (!entity) throw new Error(`No fact of the game names "${id}".`)
    return entity
  }

  isOfType(id: string, type: string): boolean {
    return this.task.isSubtype(this.task.typeOf.get(id) ?? '', type)
  }
}

function mappingOf({ action, args }: Operator): Mapping {
  return new Map(action.parameters.map(({ name, type }, i) => [`${name.slice(1)}:${type}`, args[i]!]))
}

/** Python's `strip`. JavaScript's `trim` removes other characters. */
export function pythonStrip(text: string): string {
  const blank = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*'
  return new RegExp(`^${blank}([^]*?)${blank}$`, 'u').exec(text)![1]!
}
