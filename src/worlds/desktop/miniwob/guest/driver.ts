/**
 * Plays one task page for the Playground, two windows above it: answers its messages and sends it messages. The page's
 * interface is MiniWoB++'s: `core.startEpisodeReal()`, `WOB_DONE_GLOBAL`, `WOB_RAW_REWARD_GLOBAL`, and what to do in `#query`.
 *
 * Sent to the page as text, so it refers to nothing outside of itself.
 */
import type { PageCommand, PageMessage, PageRequest, PageView } from '../protocol.ts'
import type { GuestClock } from './clock.ts'
import type { GuestEyes } from './eyes.ts'
import type { GuestFocus } from './focus.ts'
import type { GuestKeyboard } from './keyboard.ts'
import type { GuestMouse } from './mouse.ts'
import type { GuestPictures } from './pictures.ts'

interface TaskWindow {
  core?: { startEpisodeReal?: () => void; EPISODE_MAX_TIME?: number; getUtterance?: () => string }
  WOB_DONE_GLOBAL?: boolean
  WOB_RAW_REWARD_GLOBAL?: number
}

export interface GuestParts {
  clock: GuestClock
  eyes: GuestEyes
  focus: GuestFocus
  mouse: GuestMouse
  keyboard: GuestKeyboard
  pictures: GuestPictures
}

export function drive({ clock, eyes, focus, mouse, keyboard, pictures }: GuestParts, stepMs: number): void {
  const task = window as unknown as TaskWindow
  // Not the topmost window: a course page may embed the Playground.
  const host = window.parent.parent
  const send = (message: PageMessage) => host.postMessage(message, '*')
  let error: string | null = null
  window.addEventListener('error', ({ message }) => (error ??= message))
  window.addEventListener('unhandledrejection', ({ reason }) => (error ??= String(reason)))

  async function view(isAccepted: boolean): Promise<PageView> {
    await pictures.onPage()
    const isDone = task.WOB_DONE_GLOBAL === true
    const query = document.getElementById('query')
    return {
      utterance: (query?.textContent ?? '').replace(/\s+/g, ' ').trim(),
      elements: isDone ? [] : eyes.look(focus.focused),
      isDone,
      rawReward: isDone ? (task.WOB_RAW_REWARD_GLOBAL ?? 0) : 0,
      isAccepted,
      error: error ?? clock.error,
    }
  }

  /** False where there is nothing to act on. */
  function act(command: PageCommand): boolean {
    if ('at' in command) return mouse.act(command)
    if (command.kind === 'type') keyboard.type(command.words)
    if (command.kind === 'key') keyboard.strike(command.key, command.isControl)
    return true
  }

  async function answer(request: PageRequest): Promise<PageView> {
    switch (request.ask) {
      case 'start': {
        const { core } = task
        if (typeof core?.startEpisodeReal !== 'function') throw new Error('It has no core.startEpisodeReal().')
        clock.seed(request.seed)
        const seeded = Math as { seedrandom?: (seed: string) => void }
        seeded.seedrandom?.(String(request.seed))
        if (request.limitMs !== null) core.EPISODE_MAX_TIME = request.limitMs
        if (request.isReal) focus.letGo()
        core.startEpisodeReal()
        if (request.isReal) clock.follow()
        else await clock.advance(stepMs)
        return view(true)
      }
      case 'act': {
        const isAccepted = task.WOB_DONE_GLOBAL !== true && act(request.command)
        await clock.advance(stepMs)
        return view(isAccepted)
      }
      case 'advance':
        await clock.advance(request.ms)
        return view(true)
      case 'view':
        return view(true)
    }
  }

  let before: Promise<unknown> = Promise.resolve()
  window.addEventListener('message', ({ source, data }: MessageEvent<{ id: number; request: PageRequest }>) => {
    if (source !== host) return
    const { id, request } = data
    before = before
      .then(() => answer(request))
      .then(
        (seen) => send({ about: 'miniwob', id, view: seen, problem: null }),
        (cause: unknown) => send({ about: 'miniwob', id, view: null, problem: String(cause) }),
      )
  })
  // A message of its own comes after the page's handlers of the event.
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () =>
    void clock
      .advance(stepMs)
      .then(pictures.ofStyles)
      .then(() => send({ about: 'miniwob', id: null }))
  window.addEventListener('load', () => port2.postMessage(null))
}
