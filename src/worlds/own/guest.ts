/**
 * A world of one's own in the sandbox (sandbox/machine.ts), where it can reach nothing of the host: no network, no storage, no page,
 * no clock. Every call starts from the state after loading, so its answer depends on the arguments alone, and gets bounded
 * time, memory and room for its answer. Executed time is counted, not measured: a call that ends in time does so everywhere.
 */
import { EngineError, ExhaustedError, GuestError } from '../sandbox/guest-errors.ts'
import { Machine } from '../sandbox/machine.ts'
import { FUEL_PER_MS } from '../sandbox/metering.ts'
import { describeThrown } from '../sandbox/thrown.ts'
import { hashOf } from '../random.ts'
import type { Split } from '../../method/ports.ts'
import { OwnWorldError } from './error.ts'
import { GUEST_SETUP } from './guest-setup.ts'
import type { OwnModule } from './module.ts'
import { checkParts, PARTS, type PartName } from './parts.ts'

/** Bounds of a world. */
export const BOUNDS = {
  /** Executed milliseconds of a call, and of loading the file. */
  callMs: 2000,
  /** Memory of the file and a call together. */
  memoryBytes: 10 * 2 ** 20,
  /** Characters of an answer as JSON. */
  answer: 100_000,
  /** Characters of a text that a model reads. */
  text: 4000,
  name: 60,
  rules: 2000,
} as const

const SETUP = 'setup.js'

/** Plain data of a world. */
export type Data = unknown

export class OwnGuest {
  readonly #machine: Machine
  readonly #module: OwnModule
  readonly parts: ReadonlySet<PartName>
  readonly name: string
  readonly rules: string

  /** Loads the world's file. Throws OwnWorldError. */
  static async open(engine: WebAssembly.Module, module: OwnModule): Promise<OwnGuest> {
    return new OwnGuest(await Machine.boot(engine), module)
  }

  private constructor(machine: Machine, module: OwnModule) {
    this.#machine = machine
    this.#module = module
    machine.restore(BOUNDS.memoryBytes)
    this.#run('loading it', () => {
      machine.fuel = BOUNDS.callMs * FUEL_PER_MS
      machine.evaluate(module.script, module.file)
      machine.evaluate(GUEST_SETUP, SETUP)
    })
    machine.keep()
    this.parts = checkParts(this.#ask('loading it', '$own.parts', []) as Record<string, string> | null, module.file)
    this.name = this.#text('name', this.#ask('reading `name`', '$own.value', ['name']), BOUNDS.name)
    this.rules = this.#text('rules', this.#ask('reading `rules`', '$own.value', ['rules']), BOUNDS.rules)
  }

  get file(): string {
    return this.#module.file
  }

  task(split: Split, seed: number): Data {
    const task = this.#ask('`task`', '$own.task', [split, hashOf('own task', split, seed)])
    if (task === null) throw this.#wrong('task', 'null', 'the task as plain data')
    return task
  }

  reset(task: Data): Standing {
    return this.#standing('reset', this.#call('reset', task))
  }

  step(state: Data, command: string): Standing {
    return this.#standing('step', this.#call('step', state, command))
  }

  outcome(state: Data): 'won' | 'lost' | 'open' {
    const outcome = this.#call('outcome', state)
    if (outcome === 'won' || outcome === 'lost' || outcome === 'open') return outcome
    throw this.#wrong('outcome', shown(outcome), "'won', 'lost' or 'open'")
  }

  expert(state: Data): { thought: string; command: string } {
    const said = this.#call('expert', state)
    const { thought = '', command } = (typeof said === 'string' ? { command: said } : (said ?? {})) as Record<
      string,
      unknown
    >
    if (typeof command !== 'string' || typeof thought !== 'string')
      throw this.#wrong('expert', shown(said), 'a command, or { thought, command } with two texts')
    if (thought.includes(':')) {
      const why = 'one without, because small models write their command after the first colon'
      throw this.#wrong('expert', 'a thought with a colon', why)
    }
    return { thought: this.#line('expert', thought), command: this.#line('expert', command) }
  }

  /** Infinity if the goal cannot be reached. */
  distance(state: Data): number {
    const distance = this.#call('distance', state)
    if (distance === null) return Infinity
    if (typeof distance === 'number' && distance >= 0) return distance
    throw this.#wrong(
      'distance',
      shown(distance),
      'a number of commands from 0 on, or null if the goal cannot be reached',
    )
  }

  label(before: Data, command: string, after: Data): 1 | -1 {
    const label = this.#call('label', before, command, after)
    if (label === 1 || label === -1) return label
    throw this.#wrong('label', shown(label), '1 or -1')
  }

  reason(before: Data, command: string, after: Data, label: 1 | -1): string {
    return this.#line('reason', this.#call('reason', before, command, after, label))
  }

  instruction(task: Data): string {
    return this.#text('instruction', this.#call('instruction', task))
  }

  kind(task: Data): string {
    return this.#text('kind', this.#call('kind', task), BOUNDS.name)
  }

  describe(task: Data): string {
    return this.#text('describe', this.#call('describe', task))
  }

  rewrites(task: Data, direction: 'harder' | 'easier'): string[] {
    const list = this.#call('rewrites', task, direction)
    if (!Array.isArray(list)) throw this.#wrong('rewrites', shown(list), 'a list of texts')
    return list.map((text) => this.#line('rewrites', text))
  }

  /** Null if the text is not a rewrite. */
  rewrite(task: Data, text: string): Data {
    return this.#call('rewrite', task, text)
  }

  picture(state: Data): string {
    return this.#text('picture', this.#call('picture', state))
  }

  #call(part: PartName, ...given: Data[]): Data {
    return this.#ask(`\`${part}\``, '$own.call', [part, ...given])
  }

  #standing(part: 'reset' | 'step', answer: Data): Standing {
    const { state, text } = (answer ?? {}) as Partial<Standing>
    if (state === undefined) throw this.#wrong(part, shown(answer), '{ state, text }, and `state` is missing')
    return { state, text: this.#text(part, text, BOUNDS.text, 'its `text` is ') }
  }

  #text(part: PartName, value: unknown, most: number = BOUNDS.text, what = 'it is '): string {
    if (typeof value !== 'string') throw this.#wrong(part, `${what}${shown(value)}`, 'a text')
    if (value.trim() === '') throw this.#wrong(part, `${what}empty`, 'a text')
    if (value.length > most)
      throw this.#wrong(
        part,
        `${what}${value.length.toLocaleString('en')} characters long`,
        `at most ${most.toLocaleString('en')}`,
      )
    return value
  }

  #line(part: PartName, value: unknown): string {
    if (typeof value !== 'string') throw this.#wrong(part, shown(value), 'a text')
    if (value.includes('\n')) throw this.#wrong(part, 'a text of several lines', 'one line')
    return value
  }

  #wrong(part: PartName, got: string, wanted: string): OwnWorldError {
    const verb = PARTS[part].type === 'function' ? 'returned' : 'has'
    return new OwnWorldError(
      `\`${part}\` of ${this.file} is wrong: ${got.startsWith('it') ? got : `it ${verb} ${got}`}. It must be ${wanted}: \`${PARTS[part].form}\`.`,
    )
  }

  /** Calls a function of the guest with plain data. */
  #ask(what: string, callee: string, given: readonly Data[]): Data {
    const machine = this.#machine
    machine.restore(BOUNDS.memoryBytes)
    const said = this.#run(what, () => {
      machine.call('begin', JSON.stringify(['', given, BOUNDS.answer]))
      machine.fuel = BOUNDS.callMs * FUEL_PER_MS
      const value = machine.call('invoke', machine.evaluate(callee, SETUP))
      if (machine.promiseState(value) !== 'none')
        throw new OwnWorldError(
          `${what} of ${this.file} returned a promise. Make it an ordinary function, without async.`,
        )
      return machine.text(machine.call('encode', value))
    })
    if (said.startsWith('=')) return JSON.parse(said.slice(1)) as Data
    if (said.startsWith('>'))
      throw new OwnWorldError(
        `The answer of ${what} of ${this.file} is too long: it may have at most ${BOUNDS.answer.toLocaleString('en')} characters as JSON.`,
      )
    throw new OwnWorldError(
      `${what} of ${this.file} returned ${said.slice(1)}, which plain data cannot contain. ` +
        'Return texts, finite numbers, true, false, null, and lists and objects of these.',
    )
  }

  #run<Result>(what: string, run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw this.#explained(what, error)
    }
  }

  #explained(what: string, error: unknown): unknown {
    const of = `${what} of ${this.file}`
    if (error instanceof GuestError) return new OwnWorldError(`${of} failed: ${this.#described(error)}.`)
    if (error instanceof EngineError)
      return new OwnWorldError(`${of} broke the sandbox. Simplify it.`, { cause: error })
    if (!(error instanceof ExhaustedError)) return error
    switch (error.what) {
      case 'fuel':
        return new OwnWorldError(
          `${of} did not end within ${BOUNDS.callMs / 1000} seconds and was stopped. Look for a loop without an end.`,
        )
      case 'stack':
        return new OwnWorldError(`${of} called itself too deeply and was stopped. Look for a recursion without an end.`)
      case 'memory':
        return new OwnWorldError(
          `${of} needed more than ${BOUNDS.memoryBytes / 2 ** 20} MB of memory and was stopped. Keep tasks and states small.`,
        )
    }
  }

  #described(error: GuestError): string {
    const thrown = describeThrown(this.#machine, error, this.file)
    if (thrown === null) return 'it threw something that cannot be described'
    if (thrown.ranOutOf === 'memory') return `it needed more than ${BOUNDS.memoryBytes / 2 ** 20} MB of memory`
    return thrown.ranOutOf === 'output' ? 'it printed too much' : thrown.text
  }
}

/** What the host needs to know of a world before a run. Plain data. */
export interface WorldFacts {
  name: string
  rules: string
  canRewrite: boolean
  /** Whether small models can be made for it. */
  hasExpert: boolean
}

export function factsOf({ name, rules, parts }: OwnGuest): WorldFacts {
  return { name, rules, canRewrite: parts.has('rewrite'), hasExpert: parts.has('expert') }
}

/** A state, and what the agent reads of it. */
export interface Standing {
  state: Data
  text: string
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing'
  return json.length <= 80 ? json : `${json.slice(0, 79)}…`
}
