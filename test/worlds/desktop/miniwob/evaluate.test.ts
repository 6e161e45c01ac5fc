/** Playing and checking pages that are stood in for by a few lines: what wins, what is kept, and what ends an episode. */
import { describe, expect, it } from 'vitest'
import { MARKED_PIECES, decodeMarked, encodeMarked } from '../../../../src/engines/openai/marked-text.ts'
import type { Completion, LanguageModelPort } from '../../../../src/method/ports.ts'
import { scoreOf, scoresOf } from '../../../../src/playground/worlds/desktop/miniwob/scores.ts'
import { checkPage } from '../../../../src/worlds/desktop/miniwob/check-page.ts'
import { evaluate, MAX_STEPS, type PlayedPage } from '../../../../src/worlds/desktop/miniwob/evaluate.ts'
import {
  PageError,
  SilenceError,
  type OpenPage,
  type PageRequest,
  type PageView,
} from '../../../../src/worlds/desktop/miniwob/protocol.ts'
import { miniwobPolicy } from '../../../../src/worlds/desktop/miniwob/roles.ts'

const BUTTON = { mark: 1, tag: 'button', text: 'go', value: '', name: '', colour: '', isFocused: false }
const VIEW: PageView = {
  ...{ utterance: 'Click.', elements: [{ ...BUTTON, box: [0, 0, 9, 9] }], isDone: false, rawReward: 0 },
  ...{ isAccepted: true, error: null },
}
const over = (rawReward: number): PageView => ({ ...VIEW, elements: [], isDone: true, rawReward })

type Answer = (request: PageRequest, document: string) => PageView

/** Pages that answer so; `open` counts those that are not closed. */
function pages(answer: Answer): { open: OpenPage; left: () => number } {
  let count = 0
  return {
    left: () => count,
    open: async (document) => {
      count++
      let isOpen = true
      return {
        ask: async (request) => answer(request, document),
        close: () => {
          if (isOpen) count--
          isOpen = false
        },
      }
    },
  }
}

const policy = (respond: (prompt: string) => string): Pick<LanguageModelPort, 'encode' | 'generate'> => ({
  encode: async (texts) => texts.map(encodeMarked),
  generate: async (requests) =>
    requests.map(({ prompt, count }) => {
      const text = respond(decodeMarked(prompt))
      const tokens = encodeMarked(text + MARKED_PIECES.responseEnd)
      const zeros = new Float32Array(tokens.length)
      const completion: Completion = { tokens, text, logProbs: zeros, entropies: zeros, finishReason: 'stop' }
      return Array.from({ length: count }, () => completion)
    }),
})

const format = miniwobPolicy(MARKED_PIECES)
const clicks = policy(() => 'Action: click 1')
const PLAN = { tasks: [{ name: 'a', document: 'A' }, { name: 'b', document: 'B' }], episodes: 3, parallel: 2 } // prettier-ignore

async function played(answer: Answer, model = clicks, signal = new AbortController().signal) {
  const { open, left } = pages(answer)
  const episodes: PlayedPage[] = []
  let problem: unknown = null
  try {
    for await (const episode of evaluate(PLAN, { policy: model, format, open }, signal)) episodes.push(episode)
  } catch (error) {
    problem = error
  }
  return { episodes, problem, left: left() }
}

describe('an evaluation', () => {
  it('plays every task with every seed, and only a reward of 1 wins', async () => {
    const seeds: string[] = []
    const { episodes, left } = await played((request, document) => {
      if (request.ask === 'start') seeds.push(`${document}${request.seed}`)
      return request.ask === 'act' ? over(document === 'A' ? 1 : 0.99) : VIEW
    })
    expect(seeds).toEqual(['A1', 'A2', 'A3', 'B1', 'B2', 'B3'])
    expect(episodes.map(({ episodeId, outcome }) => [episodeId, outcome])).toEqual([
      ...[1, 2, 3].map((seed) => [`a#${seed}`, 1]),
      ...[1, 2, 3].map((seed) => [`b#${seed}`, -1]),
    ])
    expect(left).toBe(0)
  })

  it('loses an episode at the limit of commands, and lets time pass where a response has no command', async () => {
    const asked: PageRequest[] = []
    const { episodes } = await played(
      (request) => (asked.push(request), VIEW),
      policy(() => 'I do not know.'),
    )
    expect(episodes.every(({ steps, outcome }) => steps.length === MAX_STEPS && outcome === -1)).toBe(true)
    expect(asked.filter(({ ask }) => ask === 'act')).toEqual(
      Array.from({ length: 6 * MAX_STEPS }, () => ({ ask: 'act', command: { kind: 'wait' } })),
    )
    expect(episodes[0]!.steps[0]!.observation).toMatch(/^Nothing happens\./)
  })

  it('leaves an episode whose page fails out of the scores, says why, and goes on with the others', async () => {
    const { episodes, problem, left } = await played((request, document) => {
      if (request.ask === 'act' && document === 'A') throw new PageError('It hangs.')
      return request.ask === 'act' ? over(1) : VIEW
    })
    expect(problem).toBeNull()
    expect(episodes.map(({ outcome }) => outcome)).toEqual([-1, -1, -1, 1, 1, 1])
    expect(episodes[0]!.steps.at(-1)!.observation).toBe('The page failed. It hangs.')
    expect(episodes.map(({ failure }) => failure)).toEqual([...Array<string>(3).fill('It hangs.'), null, null, null])
    expect(scoresOf(episodes)).toEqual([
      { task: 'a', won: 0, played: 0, failed: 3, interval: null },
      { task: 'b', won: 3, played: 3, failed: 0, interval: [expect.closeTo(0.4385, 3), 1] },
    ])
    expect(scoreOf('', episodes)).toEqual({ task: '', won: 3, played: 3, failed: 3, interval: null })
    expect(left).toBe(0)
  })

  it('ends with an error of ours, which is no failure of the page', async () => {
    const { problem, left } = await played(() => {
      throw new TypeError('a mistake')
    })
    expect(String(problem)).toBe('TypeError: a mistake')
    expect(left).toBe(0)
  })

  it('does not take an error of opening for a failure of the page', async () => {
    const open = () => Promise.reject(new TypeError('a mistake'))
    const first = evaluate(PLAN, { policy: clicks, format, open }, new AbortController().signal).next()
    await expect(first).rejects.toThrow('a mistake')
  })

  it('keeps the episodes before an error of the model, and closes every page', async () => {
    let calls = 0
    const failing = policy(() => {
      if (++calls > 3) throw new Error('worn out')
      return 'Action: click 1'
    })
    const { episodes, problem, left } = await played(({ ask }) => (ask === 'act' ? over(1) : VIEW), failing)
    expect(String(problem)).toBe('Error: worn out')
    expect(episodes.length).toBe(2)
    expect(left).toBe(0)
  })

  it('ends when it is cancelled, and closes every page', async () => {
    const abort = new AbortController()
    const { episodes, problem, left } = await played(
      ({ ask }) => {
        if (ask === 'act') abort.abort(new Error('cancelled'))
        return VIEW
      },
      clicks,
      abort.signal,
    )
    expect(String(problem)).toBe('Error: cancelled')
    expect([episodes.length, left]).toEqual([0, 0])
  })
})

describe('the check of a page', () => {
  const check = async (answer: Answer) => (await checkPage(pages(answer).open, 'A')).problem
  const sound: Answer = ({ ask }) => (ask === 'advance' ? over(-1) : VIEW)

  it('passes a page that starts, says what to do, repeats itself and ends', async () => {
    expect(await check(sound)).toBeNull()
  })

  it('says what a page lacks', async () => {
    let starts = 0
    const cases: [Answer, RegExp][] = [
      [(request, document) => ({ ...sound(request, document), utterance: '' }), /does not say what to do/],
      [(request, document) => ({ ...sound(request, document), error: 'x is not defined' }), /fails: x is not defined/],
      [() => ({ ...VIEW, elements: [] }), /shows nothing/],
      [() => over(1), /over as soon as it starts/],
      [() => VIEW, /does not end/],
      [({ ask }) => (ask === 'start' ? { ...VIEW, utterance: `Click ${starts++}.` } : over(-1)), /something else/],
      [({ ask }) => { if (ask === 'act') throw new PageError('It hangs.'); return VIEW }, /^It hangs\.$/], // prettier-ignore
    ]
    for (const [answer, why] of cases) expect(await check(answer)).toMatch(why)
  })

  it('says what differs when a page is started again', async () => {
    let starts = 0
    const unsteady: Answer = (request, document) =>
      request.ask === 'start' && ++starts === 1 ? { ...VIEW, utterance: 'Wait.' } : sound(request, document)
    expect(await check(unsteady)).toMatch(/something else .*: “Task: Wait.”, then “Task: Click.”\.$/)
  })

  it('refuses a page only for now if it did not answer in time twice', async () => {
    let silences = 0
    const silent = (most: number): Answer => {
      silences = 0
      return (request, document) => {
        if (silences++ < most) throw new SilenceError('It does not answer.')
        return sound(request, document)
      }
    }
    expect(await checkPage(pages(silent(1)).open, 'A')).toEqual({ problem: null, hasPictures: false })
    const found = await checkPage(pages(silent(2)).open, 'A')
    expect(found).toEqual({ problem: 'It does not answer.', hasPictures: false, isPassing: true })
    expect(silences).toBe(2)
  })

  it('says whether a page has pictures', async () => {
    const drawn: Answer = (request, document) => {
      const seen = sound(request, document)
      return { ...seen, elements: seen.elements.map((element) => ({ ...element, tag: 'canvas' })) }
    }
    expect(await checkPage(pages(drawn).open, 'A')).toEqual({ problem: null, hasPictures: true })
    expect(await checkPage(pages(sound).open, 'A')).toEqual({ problem: null, hasPictures: false })
  })
})
