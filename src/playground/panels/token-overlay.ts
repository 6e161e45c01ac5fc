/**
 * The tokens that a step was sampled as, with what each carries: log-probability, entropy, and the step's advantage, which is
 * that of all of its tokens. The page keeps no tokens (readable-event.ts), so they are looked up in the run's own log.
 */
import type { EpisodeStep } from '../../method/events.ts'

export type TokenQuantity = 'logProb' | 'entropy' | 'advantage'

export interface ShownToken {
  text: string
  logProb: number
  entropy: number
  advantage: number | null
  /** 0 to 1: how deep it is coloured. */
  weights: Record<TokenQuantity, number>
}

/** Nats at which the colour is full. */
const FULL = { logProb: 3, entropy: 2, advantage: 2 } as const

export function shownTokens(
  step: Pick<EpisodeStep, 'tokens' | 'logProbs' | 'entropies'>,
  advantage: number | null,
  decode: (token: number) => string,
): ShownToken[] {
  return step.tokens.map((token, index) => {
    const logProb = step.logProbs[index]!
    const entropy = step.entropies[index]!
    const weight = (quantity: TokenQuantity, value: number) => Math.min(1, Math.abs(value) / FULL[quantity])
    return {
      text: decode(token),
      logProb,
      entropy,
      advantage,
      weights: {
        logProb: weight('logProb', logProb),
        entropy: weight('entropy', entropy),
        advantage: weight('advantage', advantage ?? 0),
      },
    }
  })
}

/** The steps of an episode in a log of JSON lines, the last one of that id; null where it is not there. */
export async function episodeSteps(
  log: ReadableStream<Uint8Array>,
  episodeId: string,
  rest: () => Promise<void>,
): Promise<EpisodeStep[] | null> {
  const needle = `"episodeId":${JSON.stringify(episodeId)}`
  let found: EpisodeStep[] | null = null
  let tail = ''
  const look = (line: string) => {
    if (!line.includes(needle)) return
    const event = JSON.parse(line) as { type?: string; episodeId?: string; steps?: EpisodeStep[] }
    if (event.type === 'episode' && event.episodeId === episodeId && event.steps) found = event.steps
  }
  const reader = log.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = (tail + chunk.value).split('\n')
    tail = lines.pop()!
    for (const line of lines) look(line)
    await rest()
  }
  look(tail)
  return found
}
