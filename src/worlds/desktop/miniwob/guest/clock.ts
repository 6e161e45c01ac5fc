/**
 * Time and chance of a page, replaced before its own scripts run: the clock stands still unless it is advanced, and everything that
 * is due then runs in order. A page that starts timers without end cannot hold the clock up, because each advance runs a limited
 * number of them.
 *
 * This function is sent to the page as text, so it refers to nothing outside of itself.
 */
export interface GuestClock {
  /** Runs what is due within `ms`, then sets the clock there. */
  advance(ms: number): Promise<void>
  /** Lets the clock follow real time, for a person. */
  follow(): void
  seed(seed: number): void
  /** The first error of a timer; null without one. */
  readonly error: string | null
}

export function installClock(): GuestClock {
  const FRAME_MS = 16
  const START = Date.UTC(2026, 0, 5, 12)
  /** Callbacks in one advance. */
  const MOST_CALLS = 20_000
  interface Timer {
    due: number
    every: number | null
    call: () => void
  }
  const timers = new Map<number, Timer>()
  const realFrame = window.requestAnimationFrame.bind(window)
  let now = 0
  let last = 0
  let state = 1
  let error: string | null = null

  // Mulberry32.
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  Math.random = random
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256)
    return array
  }

  const start = (due: number, every: number | null, call: () => void) => {
    timers.set(++last, { due, every, call })
    return last
  }
  const callOf = (handler: unknown, args: unknown[]) => () => {
    if (typeof handler === 'function') (handler as (...args: unknown[]) => void).apply(window, args)
    // oxlint-disable-next-line no-eval -- timers take code as text, and these pages use it
    else (0, eval)(String(handler))
  }
  const delayOf = (delay: unknown) => Math.max(1, Number(delay) || 0)
  const stop = (id?: number) => void timers.delete(id ?? 0)
  const frame = (call: FrameRequestCallback) =>
    start((Math.floor(now / FRAME_MS) + 1) * FRAME_MS, null, () => call(now))
  Object.assign(window, {
    setTimeout: (handler: unknown, delay?: number, ...args: unknown[]) =>
      start(now + delayOf(delay), null, callOf(handler, args)),
    setInterval: (handler: unknown, delay?: number, ...args: unknown[]) =>
      start(now + Math.max(4, delayOf(delay)), Math.max(4, delayOf(delay)), callOf(handler, args)),
    ...{ clearTimeout: stop, clearInterval: stop, cancelAnimationFrame: stop, cancelIdleCallback: stop },
    requestAnimationFrame: frame,
    requestIdleCallback: (call: () => void) => start(now + 1, null, call),
  })
  performance.now = () => now
  Object.defineProperty(Event.prototype, 'timeStamp', { get: () => now })
  window.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [START + now] : args, newTarget) as object,
    apply: (target) => new target(START + now).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => START + now : (Reflect.get(target, name, receiver) as unknown),
  })
  window.Date.prototype.constructor = window.Date

  const advance = async (ms: number) => {
    const end = now + ms
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      let next: [number, Timer] | null = null
      for (const entry of timers) if (next === null || entry[1].due < next[1].due) next = entry
      if (next === null || next[1].due > end) break
      const [id, timer] = next
      now = Math.max(now, timer.due)
      if (timer.every === null) timers.delete(id)
      else timer.due = now + timer.every
      try {
        timer.call()
      } catch (cause) {
        error ??= String(cause)
      }
      // Lets promises of the page settle in between, as in a browser.
      await Promise.resolve()
    }
    now = end
  }
  return {
    advance,
    follow() {
      let before: number | null = null
      const tick = async (time: number) => {
        await advance(before === null ? 0 : Math.min(50, time - before))
        before = time
        realFrame((next) => void tick(next))
      }
      realFrame((time) => void tick(time))
    },
    seed(seed) {
      state = seed
    },
    get error() {
      return error
    },
  }
}
