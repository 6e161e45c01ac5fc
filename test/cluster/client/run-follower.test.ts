import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayClient } from '../../../src/cluster/client/gateway-client.ts'
import { GatewayError } from '../../../src/cluster/client/gateway-error.ts'
import { RunFollower, type FollowOptions, type FollowState } from '../../../src/cluster/client/run-follower.ts'
import type { GatewayRun } from '../../../src/cluster/protocol.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import { faultServer, json, sse, stream, type Handler } from './fault-server.ts'

const EVENTS: LoggedEvent[] = Array.from({ length: 12 }, (_, seq) => ({
  type: 'iteration-finished',
  metrics: { 'policy/acc': seq / 12 },
  seq,
  iteration: seq,
}))

function summary(events = EVENTS.length): GatewayRun {
  return {
    runId: 'alfworld_1',
    system: 'alfworld',
    name: 'one',
    state: 'SUCCEEDED',
    message: '',
    exitCode: 0,
    startedAt: 0,
    endedAt: 1,
    step: 12,
    totalSteps: 12,
    live: { lambda: 1, alphaLow: 0.2, alphaHigh: 0.8 },
    pending: null,
    events,
    notices: [],
  }
}

const HASTY: FollowOptions = { firstWaitMs: 1, longestWaitMs: 5, patienceMs: 20_000 }

async function follow(handle: Handler, options: FollowOptions = HASTY, token: string | null = 'secret') {
  const server = await faultServer(handle)
  const client = new GatewayClient({ address: server.address, token })
  const heard: LoggedEvent[] = []
  const states: FollowState[] = []
  const others: unknown[] = []
  const follower = new RunFollower(
    client,
    'alfworld_1',
    {
      onEvent: (event) => heard.push(event),
      onNow: (event) => others.push(event),
      onLog: (lines) => others.push(lines),
      onStatus: (status) => others.push(status.state),
      onState: (state) => states.push(state),
    },
    options,
  )
  const stop = new AbortController()
  const ended = follower.follow(stop.signal)
  return { server, follower, heard, states, others, stop, ended }
}

/** The event after which a reconnecting client continues. */
const after = (lastEventId: unknown) => EVENTS.slice(lastEventId === undefined ? 0 : Number(lastEventId) + 1)
const tell = (response: ServerResponse, events: readonly LoggedEvent[]) => {
  for (const event of events) response.write(sse('run', event, event.seq))
}
const end = (response: ServerResponse) => response.end(sse('end', summary()))

describe('following a run', () => {
  it('delivers everything once, and sends the token in a header only', async () => {
    const { server, heard, others, ended, states } = await follow((_, response) => {
      stream(response)
      response.write(sse('status', { ...summary(), state: 'RUNNING' }))
      tell(response, EVENTS)
      response.write(sse('now', { type: 'progress', iteration: 1, phase: 'judge', done: 1, total: 2 }))
      response.write(sse('log', { lines: [{ offset: 0, text: 'a' }] }))
      response.write(sse('something-new', { more: true }))
      end(response)
    })
    expect(await ended).toEqual(summary())
    expect(heard).toEqual(EVENTS)
    expect(others).toEqual([
      'RUNNING',
      { type: 'progress', iteration: 1, phase: 'judge', done: 1, total: 2 },
      { lines: [{ offset: 0, text: 'a' }] },
      'SUCCEEDED',
    ])
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'connected'])
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret')
    expect(server.requests[0]?.headers['last-event-id']).toBeUndefined()
    expect(server.requests[0]?.url).toBe('/v1/runs/alfworld_1/events')
  })

  it('reads the settings of an older gateway, which have other names', async () => {
    const { world, ...rest } = presetSettings('coding')
    const before = { type: 'run-started', settings: { ...rest, setting: world }, seq: 0, iteration: 0 }
    const { heard, ended } = await follow((_, response) => {
      stream(response)
      response.write(sse('run', before, 0))
      response.end(sse('end', summary(1)))
    })
    await ended
    expect(heard).toMatchObject([{ settings: presetSettings('coding') }])
  })

  it('continues after the last event if the connection is cut within one, before any, or after all', async () => {
    let connection = 0
    const { server, heard, ended, states } = await follow((request, response) => {
      const rest = after(request.headers['last-event-id'])
      connection++
      if (connection === 2) return void response.destroy()
      stream(response)
      if (connection === 1) {
        tell(response, rest.slice(0, 3))
        const half = sse('run', rest[3], 3)
        response.write(half.slice(0, half.length - 20), () => response.destroy())
      } else if (connection === 3) {
        tell(response, rest)
        response.end()
      } else end(response)
    })
    await ended
    expect(heard).toEqual(EVENTS)
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2', '11'])
    expect(states.filter(({ state }) => state === 'waiting')).toHaveLength(3)
  })

  it('skips repeated events and requests missing ones again', async () => {
    let connection = 0
    const { server, heard, ended } = await follow((request, response) => {
      const rest = after(request.headers['last-event-id'])
      stream(response)
      connection++
      if (connection === 1) {
        tell(response, [...rest.slice(0, 4), ...rest.slice(2, 5)])
        tell(response, rest.slice(7))
        end(response)
      } else if (connection === 2) {
        tell(response, rest.slice(0, 2))
        end(response)
      } else {
        tell(response, EVENTS)
        end(response)
      }
    })
    await ended
    expect(heard).toEqual(EVENTS)
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '4', '6'])
  })

  it('drops a silent connection and keeps a slow one that sends heartbeats', async () => {
    // Less than all the pauses together, and much more than one of them.
    const patienceMs = 1000
    let connection = 0
    const { heard, ended, states } = await follow(
      async (request, response) => {
        stream(response)
        const rest = after(request.headers['last-event-id'])
        if (++connection === 1) {
          tell(response, rest.slice(0, 1))
          return
        }
        for (const event of rest) {
          response.write(': alive\n\n')
          await new Promise((resolve) => setTimeout(resolve, patienceMs / 10))
          tell(response, [event])
        }
        end(response)
      },
      { ...HASTY, patienceMs },
    )
    await ended
    expect(heard).toEqual(EVENTS)
    expect(connection).toBe(2)
    const waits = states.filter((state) => state.state === 'waiting')
    expect(waits.map(({ problem }) => problem.what)).toEqual(['The gateway is silent.'])
  })

  it('waits as long as a busy gateway asks, and longer after each failure', async () => {
    let connection = 0
    const { ended, states } = await follow(
      (_, response) => {
        connection++
        if (connection <= 2) return json(response, {}, 503)
        if (connection === 3) return json(response, {}, 429, { 'retry-after': '0.05' })
        stream(response)
        tell(response, EVENTS)
        end(response)
      },
      { ...HASTY, longestWaitMs: 60, firstWaitMs: 4, random: () => 1 },
    )
    const started = Date.now()
    await ended
    const waits = states.flatMap((state) => (state.state === 'waiting' ? [state.problem.kind] : []))
    expect(waits).toEqual(['busy', 'busy', 'busy'])
    expect(Date.now() - started).toBeGreaterThanOrEqual(4 + 8 + 50 - 3)
  })

  it('fails at once on a wrong token and on a missing run', async () => {
    const wrong = await follow((_, response) => json(response, {}, 401))
    await expect(wrong.ended).rejects.toMatchObject({ kind: 'token' })
    const missing = { what: 'There is no run "alfworld_1".', why: 'It was removed.', remedy: 'Start it again.' }
    const gone = await follow((_, response) => json(response, { error: missing }, 404))
    await expect(gone.ended).rejects.toMatchObject({ kind: 'refused', ...missing })
    expect([wrong.server.requests.length, gone.server.requests.length]).toEqual([1, 1])
  })

  it.each([
    ['not JSON', 'id: 0\nevent: run\ndata: {"type":\n\n'],
    ['an event without its number', sse('run', EVENTS[0])],
    ['an event whose id is not its number', sse('run', EVENTS[0], 5)],
    ['an end before the last event', sse('end', summary(3))],
    ['data that is not an object', sse('run', 7, 0)],
  ])('stops retrying if the stream always has %s', async (_, bad) => {
    const { server, heard, ended } = await follow((_request, response) => {
      stream(response)
      response.end(bad)
    })
    await expect(ended).rejects.toMatchObject({ kind: 'refused', what: 'The gateway cannot report this run.' })
    expect(heard).toEqual([])
    expect(server.requests).toHaveLength(6)
  })

  it('rejects an answer that is not an event stream', async () => {
    const { ended } = await follow((_, response) => json(response, {}))
    await expect(ended).rejects.toMatchObject({ kind: 'not-a-gateway' })
  })

  it('can be stopped while it listens and while it waits, and can be woken', async () => {
    const listening = await follow((_, response) => {
      stream(response)
      tell(response, EVENTS)
    })
    await expect.poll(() => listening.heard.length).toBe(12)
    listening.stop.abort(new Error('left'))
    await expect(listening.ended).rejects.toThrow('left')

    let isUp = false
    const waiting = await follow(
      (_, response) => {
        if (!isUp) return json(response, {}, 503)
        stream(response)
        tell(response, EVENTS)
        end(response)
      },
      { firstWaitMs: 60_000, longestWaitMs: 60_000 },
    )
    await expect.poll(() => waiting.states.at(-1)?.state).toBe('waiting')
    isUp = true
    waiting.follower.retryNow()
    await waiting.ended
    expect(waiting.heard).toEqual(EVENTS)

    const left = await follow((_, response) => json(response, {}, 503), { firstWaitMs: 60_000 })
    await expect.poll(() => left.states.at(-1)?.state).toBe('waiting')
    left.stop.abort(new Error('left'))
    await expect(left.ended).rejects.toThrow('left')
  })

  it('neither loses nor repeats an event, however the connections break', async () => {
    const fault = fc.record({
      first: fc.integer({ min: -3, max: 3 }),
      count: fc.integer({ min: 0, max: 8 }),
      how: fc.constantFrom('end', 'destroy', 'half', 'busy'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 8 }), async (faults) => {
        const left = [...faults]
        const { heard, ended, server } = await follow((request, response) => {
          const now = left.shift()
          const next = EVENTS.length - after(request.headers['last-event-id']).length
          if (now?.how === 'busy') return json(response, {}, 503)
          stream(response)
          if (!now) {
            tell(response, EVENTS.slice(next))
            return void end(response)
          }
          const from = Math.max(0, next + now.first)
          const text = EVENTS.slice(from, from + now.count).map((event) => sse('run', event, event.seq))
          const whole = text.join('')
          if (now.how === 'end') return void response.end(whole)
          response.write(now.how === 'half' ? whole.slice(0, -9) : whole, () => response.destroy())
        })
        await ended
        expect(heard).toEqual(EVENTS)
        await server.close()
      }),
      { numRuns: 60 },
    )
  })
})

describe('an error of the gateway', () => {
  it('knows whether a retry may succeed', () => {
    const of = (kind: GatewayError['kind']) => new GatewayError(kind, { what: '', why: '', remedy: '' }).isPassing
    expect(['unreachable', 'busy', 'broken'].map((kind) => of(kind as GatewayError['kind']))).toEqual([
      true,
      true,
      true,
    ])
    expect(of('token') || of('refused') || of('version')).toBe(false)
  })
})
