/**
 * A vision model on a real server (`transformers serve` on the CPU) plays the desktop and judges it, from pictures of its screen. Its
 * weights are random but for the form of its answers, so this tests what it is shown, not what it sees.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_PICTURES } from '../../../src/engines/openai/pictures.ts'
import { messageParts } from '../../../src/method/pictures.ts'
import { pictureOf } from '../../../src/worlds/desktop/pixels/description.ts'
import { drawScreen } from '../../../src/worlds/desktop/pixels/draw.ts'
import { eventsOf, runLoopCommand } from './loop-command.ts'
import { report, seeingServer, type DecodedPicture } from './model-server.ts'

const COMMAND = /^(click \d+ \d+|type .+|key .+|done|fail)$/

let server: Awaited<ReturnType<typeof seeingServer>>
beforeAll(async () => {
  server = await seeingServer()
}, 1_800_000)
afterAll(() => server?.remove())

describe('a vision model on transformers serve', { timeout: 900_000 }, () => {
  it('plays and judges whole episodes from the last three screens, pixel by pixel as they were drawn', async () => {
    const spec = `openai:${server.address}/v1#${server.model}`
    const evaluationsPerStep = 2
    const { log, output } = await runLoopCommand(
      [
        ...['--preset', 'desktop', '--set', 'screen=pixels', '--iterations', '1'],
        ...['--policy-model', spec, '--reward-model', spec, '--author-model', spec],
      ],
      { trainPolicy: false, trainReward: false, maxSteps: 5, evaluationsPerStep },
    )
    report(output.trim())
    expect(eventsOf(log, 'run-finished')).toMatchObject([{ reason: 'completed' }])
    const episodes = eventsOf(log, 'episode')
    expect(episodes).toHaveLength(4)

    const requests = episodes.flatMap(({ opening, steps }) => requestsOf(opening, steps, evaluationsPerStep))
    expect(requests.some((request) => request.length === MOST_PICTURES)).toBe(true)
    const left = server.decoded().map((request) => JSON.stringify(request))
    for (const request of requests) {
      const at = left.indexOf(JSON.stringify(request))
      expect(at, JSON.stringify(request)).toBeGreaterThanOrEqual(0)
      left.splice(at, 1)
    }
    // Policy and judge were each asked whether they see as many; the author is sent none.
    const openings = episodes.map(({ opening }) => JSON.stringify(Array(MOST_PICTURES).fill(drawn(opening)[0])))
    expect(left).toHaveLength(2)
    for (const check of left) expect(openings).toContain(check)
    expect(requests.flat().every(({ width, height }) => width === 1280 && height === 960)).toBe(true)

    const text = JSON.stringify(log)
    expect(text).toContain('⟨screen⟩')
    // How PNG begins, in base64.
    expect(text).not.toMatch(/data:image|iVBORw0KGgo/)

    const steps = episodes.flatMap((episode) => episode.steps)
    const readable = steps.filter(({ command }) => COMMAND.test(command))
    const scores = eventsOf(log, 'judged').flatMap(({ votes }) => votes.flat().map(({ score }) => score))
    report(JSON.stringify({ commands: steps.map(({ command }) => command), scores }))
    expect(readable.length).toBeGreaterThan(steps.length / 2)
    expect(scores).toHaveLength(steps.length * evaluationsPerStep)
    expect(scores.filter((score) => score !== 0).length).toBeGreaterThan(scores.length / 2)
    const [finished] = eventsOf(log, 'iteration-finished')
    const unread = scores.filter((score) => score === 0).length / scores.length
    expect(finished!.metrics['reward/parse_fail_rate']).toBeCloseTo(unread)
  })
})

/** The pictures of each request for an episode, as the server should decode them: the policy's and the judge's for every step. */
function requestsOf(
  opening: string,
  steps: readonly { observation: string }[],
  evaluations: number,
): DecodedPicture[][] {
  const requests: DecodedPicture[][] = []
  let screens = drawn(opening)
  for (const { observation } of steps) {
    requests.push(screens.slice(-MOST_PICTURES))
    screens = [...screens, ...drawn(observation)]
    for (let evaluation = 0; evaluation < evaluations; evaluation++) requests.push(screens.slice(-MOST_PICTURES))
  }
  return requests
}

function drawn(text: string): DecodedPicture[] {
  return messageParts(text).flatMap((part) => {
    if (!('picture' in part)) return []
    const { width, height, rgb } = drawScreen(pictureOf(part.picture))
    return [{ width, height, sha256: createHash('sha256').update(rgb).digest('hex') }]
  })
}
