/**
 * The household for agents in any language: requests and answers as lines of JSON (docs/household-protocol.md). Answers come in the
 * order of the requests; an invalid request does not affect the next.
 */
import { admissibleCommands } from '../../worlds/household/engine/commands.ts'
import { step } from '../../worlds/household/engine/step.ts'
import { decide, nextCommandKnowingAll } from '../../worlds/household/planning/expert.ts'
import { taskSentence } from '../../worlds/household/engine/game.ts'
import { Knowledge } from '../../worlds/household/planning/knowledge.ts'
import { openingText } from '../../worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../worlds/household/planning/plan.ts'
import { seededRandom } from '../../worlds/random.ts'
import { startGame, type Dialect, type GameState } from '../../worlds/household/engine/state.ts'
import { worldOf } from '../../worlds/household/engine/rooms.ts'
import { LISTED_GAMES } from './arguments.ts'
import { NoGameError, type GameFilter, type GameShelf, type ListedGame } from './games.ts'
import {
  parseRequest,
  RequestError,
  type ErrorCode,
  type GamesRequest,
  type Request,
  type RequestId,
  type ResetRequest,
  type StateRequest,
} from './requests.ts'
import { errorText } from '../../threads/error-text.ts'

/** Defaults of a reset. */
export interface ServerDefaults {
  filter: GameFilter
  dialect: Dialect
  isExplaining: boolean
  steps: number
  /** Seed of the first reset without game and seed; each further one increments it. */
  seed: number
}

interface Episode {
  state: GameState
  knowledge: Knowledge
}

type Answer = Record<string, unknown>

export class HouseholdServer {
  readonly #episodes = new Map<string, Episode>()
  #nextSeed: number

  constructor(
    private readonly shelf: GameShelf,
    private readonly defaults: ServerDefaults,
  ) {
    this.#nextSeed = defaults.seed
  }

  /** Answers one line, without a line break; returns a promise only if a game must be found first. Never throws. */
  answer(line: string): string | Promise<string> {
    let id: RequestId
    try {
      const request = parseRequest(line)
      id = request.id
      const answer = this.#answer(request)
      if (!(answer instanceof Promise)) return written(id, answer)
      return answer.then(
        (found) => written(id, found),
        (error: unknown) => refused(id, error),
      )
    } catch (error) {
      return refused(id, error)
    }
  }

  #answer(request: Request): Answer | Promise<Answer> {
    switch (request.method) {
      case 'reset':
        return this.#reset(request)
      case 'games':
        return this.#games(request)
      case 'step': {
        const episode = this.#episode(request.episode)
        const { state, knowledge } = episode
        const { observation, accepted } = step(state, request.command)
        knowledge.update(request.command, accepted, state)
        return { observation, ...standing(state), ...(request.admissible && listOf(state)) }
      }
      case 'admissible':
        return listOf(this.#episode(request.episode).state)
      case 'won':
        return standing(this.#episode(request.episode).state)
      case 'state':
        return stateOf(this.#episode(request.episode), request)
      case 'close':
        this.#episode(request.episode)
        this.#episodes.delete(request.episode)
        return { closed: true }
    }
  }

  async #reset({ episode, game: gameId, seed, admissible, ...request }: ResetRequest): Promise<Answer> {
    if (gameId !== undefined && seed !== undefined) {
      throw new RequestError('bad-request', 'reset: use "game" or "seed", not both.')
    }
    const filter = filterOf(request, this.defaults.filter)
    const game =
      gameId === undefined
        ? await this.shelf.bySeed(seed ?? this.#nextSeed, filter)
        : await this.shelf.byId(gameId, filter)
    // A failed request changes nothing, and the next begins only when this one is answered.
    if (gameId === undefined && seed === undefined) this.#nextSeed++
    const state = startGame(game, {
      dialect: request.dialect ?? this.defaults.dialect,
      stepLimit: request.steps ?? this.defaults.steps,
      explainRefusals: request.explain ?? this.defaults.isExplaining,
    })
    this.#episodes.set(episode, { state, knowledge: new Knowledge(game) })
    return {
      observation: openingText(state),
      ...standing(state),
      game: game.id,
      task: game.goal.taskType,
      goal: taskSentence(game),
      ...(admissible && listOf(state)),
    }
  }

  async #games({ first = 0, count = LISTED_GAMES, ...request }: GamesRequest): Promise<Answer> {
    const games: ListedGame[] = []
    for await (const game of this.shelf.list(first, count, filterOf(request, this.defaults.filter))) games.push(game)
    return { games }
  }

  #episode(name: string): Episode {
    const episode = this.#episodes.get(name)
    if (!episode) throw new RequestError('no-episode', `There is no episode "${name.slice(0, 80)}": reset it first.`)
    return episode
  }
}

function filterOf({ split, scene, task }: GameFilter, defaults: GameFilter): GameFilter {
  return { ...defaults, ...(split && { split }), ...(scene && { scene }), ...(task && { task }) }
}

function standing({ won, done, steps }: GameState): Answer {
  return { won, done, steps }
}

function listOf(state: GameState): Answer {
  return { admissible: admissibleCommands(state) }
}

function stateOf({ state, knowledge }: Episode, { distance, best, expert }: StateRequest): Answer {
  const world = worldOf(state.game)
  const answer: Answer = {
    ...standing(state),
    stepLimit: state.stepLimit,
    game: state.game.id,
    task: state.game.goal.taskType,
    goal: taskSentence(state.game),
    at: (world.receptaclesAt[state.place] ?? []).map((receptacle) => world.receptacles[receptacle]!.name),
    holding: state.held < 0 ? null : world.objects[state.held]!.name,
  }
  if (distance) {
    const commands = distanceToGoal(state)
    answer['distance'] = commands === Infinity ? null : commands
  }
  const commandOf = ({ command, subgoal }: ReturnType<typeof decide>) =>
    state.done || subgoal.kind === 'stuck' ? null : command
  if (best) answer['best'] = commandOf(nextCommandKnowingAll(state))
  // The same request breaks ties the same way.
  if (expert) answer['expert'] = commandOf(decide(state, knowledge, seededRandom(state.game.id, state.steps)))
  return answer
}

function written(id: RequestId, answer: Answer): string {
  return JSON.stringify(id === undefined ? answer : { id, ...answer })
}

/** The answer to a failed or unreadable request. */
export function refused(id: RequestId, error: unknown): string {
  let code: ErrorCode = 'internal'
  if (error instanceof RequestError) code = error.code
  else if (error instanceof NoGameError) code = 'no-game'
  const message = errorText(error)
  const whose = error instanceof RequestError ? (error.id ?? id) : id
  return JSON.stringify({ id: whose ?? null, error: { code, message } })
}
