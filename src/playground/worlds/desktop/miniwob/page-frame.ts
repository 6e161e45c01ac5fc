/**
 * A task page in a frame without an origin. It talks by messages alone. Browsers that give such frames a process of their own, as
 * Chromium does, keep this page alive when one hangs; it is then ended by removing its frame.
 */
import { readMessage } from '../../../../worlds/desktop/miniwob/page-message.ts'
import {
  NeighbourError,
  PageError,
  SilenceError,
  type OpenedPage,
  type PageRequest,
  type PageView,
} from '../../../../worlds/desktop/miniwob/protocol.ts'

/** A page that takes longer hangs. */
const PATIENCE_MS = 10_000
/** The pages are made for 160 × 210, and show their own display beside it. */
export const FRAME = { width: 330, height: 240 }

interface Question {
  askedAt: number
  resolve: (view: PageView | null) => void
  reject: (error: PageError) => void
}

/**
 * Questions to all pages in the order in which they were asked. Pages may share a process, which answers in this order: if one
 * hangs, none after it is answered, and it is the first.
 */
const open = new Set<Question>()
/** What ends each page. A process ends with its last frame, so a page that hangs takes all with it. */
const ends = new Set<(why: PageError) => void>()

/** `place` is where the frame goes; it has to be drawn, because pages measure themselves. Throws a PageError. */
export async function openPageFrame(
  document: string,
  place: HTMLElement,
  { title, isForHands = false }: { title: string; isForHands?: boolean },
): Promise<OpenedPage> {
  const frame = place.ownerDocument.createElement('iframe')
  // Together with allow-same-origin a page could take its sandbox off.
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.title = title
  frame.width = String(FRAME.width)
  frame.height = String(FRAME.height)
  frame.style.border = '0'
  // A page that a model plays does not react to a person.
  frame.inert = !isForHands
  frame.srcdoc = document

  const questions = new Map<number | null, Question>()
  let ended: PageError | null = null
  let last = 0
  const end = (why: PageError) => {
    if (ended !== null) return
    ended = why
    ends.delete(end)
    removeEventListener('message', onMessage)
    frame.remove()
    for (const { reject } of questions.values()) reject(why)
  }
  const onMessage = ({ source, data }: MessageEvent<{ about?: unknown } | null>) => {
    const around = frame.contentWindow
    if (data?.about !== 'miniwob' || source === null || around === null) return
    if (source !== around && source !== pageIn(frame)) return
    const message = readMessage(data)
    if (message === null) return end(new PageError('The page sent an answer that we cannot read.'))
    if ('left' in message) {
      if (source === around) end(new PageError('The page went to another address, which the sandbox does not allow.'))
    } else if (source !== around) {
      const question = questions.get(message.id)
      if (message.id === null) question?.resolve(null)
      else if (message.view === null) question?.reject(new PageError(`A script of the page fails: ${message.problem}.`))
      else question?.resolve(message.view)
    }
  }
  const ask = async (id: number | null, begin: () => void): Promise<PageView | null> => {
    if (ended !== null) throw ended
    let timer: ReturnType<typeof setTimeout> | undefined
    let question: Question | undefined
    try {
      return await new Promise<PageView | null>((resolve, reject) => {
        const asked: Question = { askedAt: performance.now(), resolve, reject }
        question = asked
        const look = () => {
          const since = performance.now() - asked.askedAt
          const isFirst = open.values().next().value === asked
          if (!isFirst || since < PATIENCE_MS) {
            timer = setTimeout(look, isFirst ? PATIENCE_MS - since : PATIENCE_MS)
            return
          }
          end(new SilenceError(`The page did not answer for ${PATIENCE_MS / 1000} s and was ended.`))
          for (const endOther of ends) endOther(new NeighbourError('Another page of MiniWoB++ did not answer.'))
        }
        timer = setTimeout(look, PATIENCE_MS)
        open.add(asked)
        questions.set(id, asked)
        begin()
      })
    } finally {
      clearTimeout(timer)
      questions.delete(id)
      if (question) open.delete(question)
    }
  }

  ends.add(end)
  addEventListener('message', onMessage)
  await ask(null, () => {
    place.append(frame)
    // Firefox gives a frame its size when it next draws the page around it, or when that is measured. Until then, nothing in it has a size.
    frame.getBoundingClientRect()
  })
  return {
    async ask(request: PageRequest) {
      const id = ++last
      return (await ask(id, () => pageIn(frame)?.postMessage({ id, request }, '*')))!
    },
    close: () => end(new PageError('The page was closed.')),
  }
}

/** Null while the document around it is not loaded, when asking for a frame of it throws. */
function pageIn({ contentWindow }: HTMLIFrameElement): Window | null {
  return contentWindow !== null && contentWindow.length > 0 ? contentWindow.frames[0]! : null
}
