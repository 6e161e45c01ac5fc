/**
 * One document of a task page, with everything that it loads inside: scripts and styles as text, pictures as data. A frame without an
 * origin can load nothing by itself, and its policy forbids it to. Before the page's scripts come ours, which replace its clock and play it.
 *
 * The document is framed once more: a frame may always leave for another address, except where the document around it forbids it.
 */
import { installClock } from './guest/clock.ts'
import { doorFinder, shutDoors } from './guest/doors.ts'
import { drive } from './guest/driver.ts'
import { openEyes } from './guest/eyes.ts'
import { keepFocus } from './guest/focus.ts'
import { giveKeyboard } from './guest/keyboard.ts'
import { giveMouse } from './guest/mouse.ts'
import { awaitPictures } from './guest/pictures.ts'
import { STEP_MS } from './protocol.ts'
import type { TaskPage, Wheel } from './wheel.ts'
import { toBase64 } from '../../../storage/base64.ts'

export type PageDocument = { document: string; missing: null } | { document: null; missing: string }

const NO_NETWORK =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
  "form-action 'none'; base-uri 'none'"
/** So that our script sees all that the page's scripts parse. */
const TRUSTED = "require-trusted-types-for 'script'; trusted-types default"
/** Browsers may look up the names in links before anybody follows one. */
const NO_LOOK_UPS = '<meta http-equiv="x-dns-prefetch-control" content="off">'
/** Transitions would run by the real clock. */
const STILL =
  '*, *::before, *::after { transition: none !important; animation: none !important; scroll-behavior: auto !important }'
/** A second document in the frame is the browser's own, which says that the page was not let go. */
const SAY_LEFT =
  "window.loads = (window.loads || 0) + 1; if (loads > 1) parent.postMessage({ about: 'miniwob', left: true }, '*')"
/** Gives the frame its size at once: see openPageFrame. */
const SIZE_FRAME = '<script>document.body.getBoundingClientRect()</script>'
const PICTURE = /[\w\-./]*[\w-]\.(?:png|gif|jpe?g|svg)\b/g
const TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', svg: 'image/svg+xml' }

/** `missing` names a file that the page loads and the wheel lacks. */
export function pageDocument({ files }: Wheel, { path }: TaskPage): PageDocument {
  const absent: string[] = []
  const text = (file: string) => new TextDecoder().decode(files.get(file))
  const withPictures = (content: string, base: string) =>
    content.replace(PICTURE, (address) => {
      const bytes = files.get(resolved(address, base))
      return bytes ? dataUrl(address, bytes) : address
    })
  const loaded = (address: string, inline: (file: string) => string) => {
    const file = resolved(address, path)
    if (files.has(file)) return inline(file)
    absent.push(file)
    return ''
  }
  let html = text(path)
  html = html.replace(/<link\b[^>]*\bhref=["']([^"']+)["'][^>]*>/gi, (_, address: string) =>
    loaded(address, (file) => `<style>${withPictures(text(file), file)}</style>`),
  )
  html = html.replace(/<script\b[^>]*\bsrc=["']([^"']+)["'][^>]*>\s*<\/script>/gi, (_, address: string) =>
    loaded(address, (file) => `<script>${asInline(text(file))}</script>`),
  )
  if (absent.length > 0) return { document: null, missing: absent[0]! }
  html = doorFinder()(withPictures(html, path))
  const head = `<meta charset="utf-8">${policy(`${NO_NETWORK}; ${TRUSTED}`)}${NO_LOOK_UPS}<style>${STILL}</style><script>${driverScript()}</script>`
  // In front of it only what keeps the page's mode.
  const at = /^\s*(?:<!doctype[^>]*>\s*)?(?:<html[^>]*>\s*)?(?:<head[^>]*>)?/i.exec(html)![0].length
  return { document: framed(html.slice(0, at) + head + html.slice(at)), missing: null }
}

/** The document of a page that is known to run. Throws for any other. */
export function documentOf(wheel: Wheel, name: string): string {
  const page = wheel.pages.find((other) => other.name === name)
  const document = page && pageDocument(wheel, page).document
  if (document === undefined || document === null) throw new Error(`The wheel has no task page ${name} that runs.`)
  return document
}

function framed(inner: string): string {
  const escaped = inner.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return (
    `<!doctype html>${policy(`${NO_NETWORK}; frame-src 'none'`)}` +
    '<style>html, body { margin: 0; height: 100%; overflow: hidden } iframe { display: block; width: 100%; height: 100%; border: 0 }</style>' +
    `<iframe title="Page" sandbox="allow-scripts" onload="${SAY_LEFT}" srcdoc="${escaped}"></iframe>${SIZE_FRAME}`
  )
}

const policy = (content: string) => `<meta http-equiv="Content-Security-Policy" content="${content}">`

/** Our functions as text. What they refer to is passed as arguments. */
function driverScript(): string {
  const [clock, eyes, focus, mouse, keyboard, pictures, driver] = [
    installClock,
    openEyes,
    keepFocus,
    giveMouse,
    giveKeyboard,
    awaitPictures,
    drive,
  ].map(String)
  return asInline(
    `(${String(shutDoors)})((${String(doorFinder)})());{const clock=(${clock})(),eyes=(${eyes})(),focus=(${focus})(),mouse=(${mouse})(eyes.find,focus),` +
      `keyboard=(${keyboard})(focus,mouse.click),pictures=(${pictures})();(${driver})({clock,eyes,focus,mouse,keyboard,pictures},${STEP_MS})}`,
  )
}

/** A script that nothing in it can end or hide. */
function asInline(script: string): string {
  return script.replace(/<(?=\/script|!--)/gi, '<\\')
}

/** An address as a path in the wheel, relative to a file in it. */
function resolved(address: string, base: string): string {
  const { origin, pathname } = new URL(address, new URL(base, 'https://wheel.invalid/'))
  return origin === 'https://wheel.invalid' ? decodeURIComponent(pathname.slice(1)) : ''
}

function dataUrl(name: string, bytes: Uint8Array): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return `data:${TYPES[ending] ?? `image/${ending}`};base64,${toBase64(bytes)}`
}
