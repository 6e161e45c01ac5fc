/**
 * Plays episodes of many tasks at once: every turn is one generate call over all running episodes, and one step call.
 *
 *     prompt_0   = encode(opening)
 *     prompt_k+1 = prompt_k + response_k + encode(afterResponse(observation_k))
 *
 * `response_k` are the sampled token ids themselves: nothing is decoded and encoded again between sampling and training.
 * Each prompt is a prefix of the next one, so a model can reuse what it has read. Rollouts of one task start from the same
 * tokens and share the first request.
 *
 * A transcript that fills the policy's context ends its episode: the last response is empty, the environment gets an empty
 * command, and a task that is unsolved by then counts as failed. A response without tokens does not train.
 */
import type { EpisodeFinished, EpisodeStep, PhaseProgressed, StepHappened } from './events.ts'
import type {
  Completion,
  EnvironmentPort,
  LanguageModelPort,
  RoleFormats,
  Split,
  StepResult,
  Task,
  Tokens,
} from './ports.ts'
import { deriveSeed } from './random.ts'
import type { TrainingSample } from './training-sample.ts'
import { joinArrays } from './join-arrays.ts'

export interface EpisodeRequest {
  episodeId: string
  task: Task
  split: Split
  /** Index in the group of the task. */
  rollout: number
}

/** What playing takes of a run's ports. */
export interface RolloutPorts {
  policy: Pick<LanguageModelPort, 'encode' | 'generate'>
  environment: Pick<EnvironmentPort, 'reset' | 'step'>
  formats: Pick<RoleFormats, 'policy'>
}

export interface RolloutOptions {
  maxSteps: number
  temperature: number
  topP: number
  policyVersion: number
  /** Responses draw from (seed, key of the episode, turn). */
  seed: number
  /** The episode's id by default. Episodes with one key draw the same numbers. */
  seedKey?: (request: EpisodeRequest) => string
  /** Whether to yield an ephemeral `step` event for every turn. */
  showSteps: boolean
  signal?: AbortSignal | undefined
  observer?: RolloutObserver | undefined
}

/** A step as others see it while its episode is still played. */
export interface PlayedStep {
  episodeId: string
  taskId: string
  opening: string
  /** Within the episode. */
  index: number
  response: string
  observation: string
}

/** Follows rollouts while they are played. They do not wait for it. */
export interface RolloutObserver {
  /** All episodes have begun. */
  onStart?(episodes: readonly { task: Task; opening: string }[]): void
  /** A turn is over: a step of every episode that was running. */
  onTurn?(steps: readonly PlayedStep[]): void
}

export interface Rollout {
  episode: EpisodeFinished
  /** samples[step] */
  samples: TrainingSample[]
  /** Responses cut at the token limit, or by the end of the context. */
  clippedResponses: number
}

interface RunningEpisode {
  request: EpisodeRequest
  opening: string
  prompt: Tokens
  steps: EpisodeStep[]
  samples: TrainingSample[]
  clippedResponses: number
  isWon: boolean
}

/** Yields each episode when it ends. Returns all of them in the order of the requests. */
export async function* rollOut(
  ports: RolloutPorts,
  requests: readonly EpisodeRequest[],
  options: RolloutOptions,
): AsyncGenerator<EpisodeFinished | StepHappened | PhaseProgressed, Rollout[], void> {
  const { policy, formats } = ports
  const phase = requests.some((request) => request.split === 'train') ? 'rollout' : 'evaluate'
  const episodes = await startEpisodes(ports, requests, options.maxSteps)
  options.observer?.onStart?.(episodes.map(({ request, opening }) => ({ task: request.task, opening })))
  const finished = new Map<RunningEpisode, Rollout>()
  let running = episodes
  yield { type: 'progress', phase, done: 0, total: episodes.length }

  for (let turn = 0; running.length > 0; turn++) {
    options.signal?.throwIfAborted()
    const turns = await act(ports, running, await respond(ports, running, turn, options))
    options.observer?.onTurn?.(turns.map((played) => playedStep(played, turn)))
    const continuing: Turn[] = []
    for (const played of turns) {
      const { episode, completion, parsed, result } = played
      record(episode, completion, parsed, result)
      // A transcript only grows, so once it fills the policy's context it always will.
      const isDone = result.done || completion.finishReason === 'context' || turn + 1 >= options.maxSteps
      if (options.showSteps) {
        const { opening: _, ...step } = playedStep(played, turn)
        yield { type: 'step', ...step, done: isDone }
      }
      if (isDone) {
        const rollout = finish(episode, options.policyVersion)
        finished.set(episode, rollout)
        yield rollout.episode
      } else continuing.push(played)
    }
    const observations = continuing.map(({ completion, result }) => {
      const end = completion.finishReason === 'length' ? (formats.policy.responseEnd ?? '') : ''
      return end + formats.policy.afterResponse(result.observation)
    })
    const continuations = continuing.length > 0 ? await policy.encode(observations) : []
    continuing.forEach(({ episode, completion }, index) => {
      episode.prompt = joinArrays(Int32Array, [episode.prompt, completion.tokens, continuations[index]!])
    })
    yield { type: 'progress', phase, done: finished.size, total: episodes.length }
    running = continuing.map(({ episode }) => episode)
  }
  return episodes.map((episode) => finished.get(episode)!)
}

/** The policy's response in each running episode, in their order. */
async function respond(
  { policy, formats }: RolloutPorts,
  running: readonly RunningEpisode[],
  turn: number,
  { temperature, topP, seed, seedKey = (request) => request.episodeId, signal }: RolloutOptions,
): Promise<Completion[]> {
  const batches = turn === 0 ? sharedOpenings(running) : running.map((episode) => [episode])
  const completions = await policy.generate(
    batches.map((batch) => ({
      prompt: batch[0]!.prompt,
      count: batch.length,
      seed: deriveSeed(seed, seedKey(batch[0]!.request), turn),
      affinity: batch[0]!.request.task.id,
    })),
    { temperature, topP, maxTokens: formats.policy.maxTokens },
    signal,
  )
  const responseOf = new Map(
    batches.flatMap((batch, index) => batch.map((episode, copy) => [episode, completions[index]?.[copy]] as const)),
  )
  return running.map((episode) => {
    const completion = responseOf.get(episode)
    if (!completion) throw new Error(`The policy returned no response for episode ${episode.request.episodeId}.`)
    return completion
  })
}

interface Turn {
  episode: RunningEpisode
  completion: Completion
  parsed: ReturnType<RoleFormats['policy']['parse']>
  result: StepResult
}

/** Plays the commands in the responses. */
async function act(
  { environment, formats }: RolloutPorts,
  running: readonly RunningEpisode[],
  completions: readonly Completion[],
): Promise<Turn[]> {
  const parsed = completions.map(({ text }) => formats.policy.parse(text))
  const commands = running.map(({ request: { episodeId } }, i) => ({ episodeId, command: parsed[i]!.command }))
  const results = new Map((await environment.step(commands)).map((result) => [result.episodeId, result]))
  return running.map((episode, i) => {
    const result = results.get(episode.request.episodeId)
    if (!result) throw new Error(`The environment did not answer for episode ${episode.request.episodeId}.`)
    return { episode, completion: completions[i]!, parsed: parsed[i]!, result }
  })
}

function playedStep({ episode: { request, opening }, completion, result }: Turn, index: number): PlayedStep {
  return {
    episodeId: request.episodeId,
    taskId: request.task.id,
    opening,
    index,
    response: completion.text,
    observation: result.observation,
  }
}

async function startEpisodes(
  { policy, environment, formats }: RolloutPorts,
  requests: readonly EpisodeRequest[],
  maxSteps: number,
): Promise<RunningEpisode[]> {
  if (requests.length === 0) return []
  const starts = new Map(
    (await environment.reset(requests.map(({ episodeId, task }) => ({ episodeId, task, maxSteps })))).map((start) => [
      start.episodeId,
      start.opening,
    ]),
  )
  const openings = requests.map(({ episodeId }) => {
    const opening = starts.get(episodeId)
    if (opening === undefined) throw new Error(`The environment did not start episode ${episodeId}.`)
    return opening
  })
  const distinct = [...new Set(openings)]
  const encoded = await policy.encode(distinct.map((opening) => formats.policy.opening(opening)))
  const promptOf = new Map(distinct.map((opening, index) => [opening, encoded[index]!]))
  return requests.map((request, index) => ({
    request,
    opening: openings[index]!,
    prompt: promptOf.get(openings[index]!)!,
    steps: [],
    samples: [],
    clippedResponses: 0,
    isWon: false,
  }))
}

/** Episodes of the same task that read the same opening; the first one names the seed. */
function sharedOpenings(episodes: readonly RunningEpisode[]): RunningEpisode[][] {
  const batches = new Map<string, RunningEpisode[]>()
  for (const episode of episodes) {
    const key = JSON.stringify([episode.request.task.id, episode.opening])
    const batch = batches.get(key)
    if (batch) batch.push(episode)
    else batches.set(key, [episode])
  }
  return [...batches.values()]
}

function record(
  episode: RunningEpisode,
  completion: Completion,
  parsed: { thought: string; command: string },
  result: StepResult,
): void {
  episode.samples.push({ prompt: episode.prompt, response: completion.tokens, oldLogProbs: completion.logProbs })
  episode.steps.push({
    response: completion.text,
    thought: parsed.thought,
    command: parsed.command,
    observation: result.observation,
    tokens: Array.from(completion.tokens),
    logProbs: Array.from(completion.logProbs, fourDecimals),
    entropies: Array.from(completion.entropies, fourDecimals),
    trueLabel: result.trueLabel,
    distance: result.distance,
    ...(result.tests && { tests: result.tests }),
  })
  if (completion.finishReason !== 'stop') episode.clippedResponses++
  episode.isWon ||= result.won
}

function finish(
  { request, opening, steps, samples, clippedResponses, isWon }: RunningEpisode,
  policyVersion: number,
): Rollout {
  return {
    episode: {
      type: 'episode',
      episodeId: request.episodeId,
      taskId: request.task.id,
      split: request.split,
      rollout: request.rollout,
      policyVersion,
      instruction: request.task.instruction,
      opening,
      steps,
      outcome: isWon ? 1 : -1,
    },
    samples,
    clippedResponses,
  }
}

/** `+ 0` turns -0 into 0: JSON cannot tell them apart, so the log must not either. */
function fourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0
}
