/** One step of an episode under one λ as a picture to share: what it shows, and the loop that turns λ from 0 to 1 and back. */
import { capital, compact, signed } from '../kit/format.ts'
import { LAMBDA_STOPS, writeStop } from '../run/lambda-stops.ts'
import type { TellingEpisode } from '../../runs/telling-episode.ts'
import { effectOf, ribbons, type Tile } from './ribbons.ts'

/** What a picture of a step shows. */
export interface Moment {
  /** The episode's trajectory and step are the chosen ones. */
  episode: TellingEpisode
  lambda: number
  /** Missing for the first sentence of its task. */
  title?: string | undefined
  /** What is said of the step under a λ; missing for its advantage. */
  say?: ((lambda: number) => string) | undefined
}

export const titleOf = ({ title, episode }: Moment): string => title ?? firstSentence(episode.group.instruction)

export const sayOf = ({ say, episode }: Moment, lambda: number): string =>
  say?.(lambda) ?? stepSentence(episode, lambda)

/** Rows that are large enough to read. */
const MOST_ROWS = 10

export interface MomentRows {
  noun: 'step' | 'program'
  tiles: Tile[]
  chosen: Tile
  /** Tiles before and after these, which there is no room for. */
  before: number
  after: number
}

/** The chosen tile and those around it. */
export function momentRows(episode: TellingEpisode, lambda: number): MomentRows {
  const { noun, own } = ribbons(episode, lambda)
  const chosen = own.find(({ trajectory, step }) => trajectory === episode.trajectory && step === episode.step)!
  const first = Math.max(0, Math.min(own.indexOf(chosen) - Math.floor(MOST_ROWS / 2), own.length - MOST_ROWS))
  const tiles = own.slice(first, first + MOST_ROWS)
  return { noun, tiles, chosen, before: first, after: own.length - first - tiles.length }
}

/** R of the run where λ has no part in it; null where R = O + λ · mean S. As in run/equation.ts. */
export function equationWithoutLambda({ group, settings }: TellingEpisode): string | null {
  if (group.kind === 'programs' && settings.profile === 'reference') return 'R = hidden tests passed'
  return { outcome: 'R = O', step: 'R = mean S', integrated: null }[settings.signal]
}

/** "At λ = ½, step 4 “go to fridge 1” has the advantage −0.83 and is discouraged." */
export function stepSentence(episode: TellingEpisode, lambda: number): string {
  const { noun, chosen } = momentRows(episode, lambda)
  const what = noun === 'step' ? ` “${chosen.action}”` : ''
  const worth =
    chosen.advantage === null
      ? 'does not train'
      : `has the advantage ${signed(chosen.advantage)} and is ${effectOf(chosen.advantage)}`
  const told = `${noun} ${chosen.number}${what} ${worth}.`
  return equationWithoutLambda(episode) === null ? `At λ = ${writeLambda(lambda)}, ${told}` : capital(told)
}

/** Stops as on the slider, other values as numbers. */
export function writeLambda(lambda: number): string {
  return LAMBDA_STOPS.some((stop) => stop === lambda) ? writeStop(lambda) : compact(Math.round(lambda * 100) / 100)
}

/** The stops of a track that has a place for λ: above the last one it is the end. */
export function stopsFor(lambda: number): readonly number[] {
  return lambda > LAMBDA_STOPS.at(-1)! ? [...LAMBDA_STOPS, lambda] : LAMBDA_STOPS
}

/** Where λ is on a track with evenly spaced stops, in [0, 1]. */
export function shareOf(lambda: number, stops: readonly number[] = LAMBDA_STOPS): number {
  const above = stops.findIndex((stop) => stop >= lambda)
  if (above <= 0) return above === 0 ? 0 : 1
  const [low, high] = [stops[above - 1]!, stops[above]!]
  return (above - 1 + (lambda - low) / (high - low)) / (stops.length - 1)
}

/** Inverse of `shareOf`. */
export function lambdaAt(share: number): number {
  const last = LAMBDA_STOPS.length - 1
  const below = Math.min(last - 1, Math.floor(share * last))
  const [low, high] = [LAMBDA_STOPS[below]!, LAMBDA_STOPS[below + 1]!]
  return low + (share * last - below) * (high - low)
}

export interface LoopFrame {
  lambda: number
  ms: number
}

export const LOOP_MS = 10_000
const GLIDE_FRAMES = 8
const GLIDE_MS = 70

/** λ rests at 0, moves to 1, rests there, and moves back: together ten seconds. */
export function loopFrames(): LoopFrame[] {
  const glide = (from: number, to: number) =>
    Array.from({ length: GLIDE_FRAMES }, (_, i): LoopFrame => {
      const part = (i + 1) / (GLIDE_FRAMES + 1)
      return { lambda: lambdaAt(shareOf(from) + part * (shareOf(to) - shareOf(from))), ms: GLIDE_MS }
    })
  const rest = (LOOP_MS - 2 * GLIDE_FRAMES * GLIDE_MS) / 2
  return [{ lambda: 0, ms: rest }, ...glide(0, 1), { lambda: 1, ms: rest }, ...glide(1, 0)]
}

/** Lines of at most `most` characters, broken between words; a longer word has a line of its own. */
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= most) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Starts a task's sentence with a capital. */
export function firstSentence(text: string): string {
  const [sentence = text] = /^[^.?!\n]*[.?!]?/.exec(text) ?? []
  return capital(sentence)
}
