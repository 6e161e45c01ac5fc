/** A wheel of task pages in every engine that this machine has: dropped, checked, and played by hand with a real mouse. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { CORE_FILES, pageFiles, wheelOf } from '../worlds/desktop/miniwob/small-wheel.ts'
import { engines, walkInFirefox, type Engine, type Walker } from './engines/walker.ts'
import { serveStatic } from './static-server.ts'

/** MiniWoB++'s own wheel, where somebody has it. */
const WHEEL = process.env['MINIWOB_WHEEL']

/** A page that hangs takes the Playground along in an engine that gives its frame no process of its own. */
const HANGING = /\/hangs/
/** Engines differ in whether they show the page again that they did not let go. */
const LEAVING = /\/leaves/

/** Its icons come from its style sheet, and are there at once, each time. */
const ICONS = {
  'miniwob/html/miniwob/icons.html': `<!DOCTYPE html><html><head><link rel="stylesheet" href="../core/core.css">
    <style>.star { content: url(star.svg) } .bin { content: url(bin.svg) }</style>
    <script src="../core/core.js"></script><script>function genProblem() {
      ask('Click the star.')
      show('<p><span class="star" id="star"></span><span class="bin" id="bin"></span></p><button>Neither</button>')
      on('star', function () { core.endEpisode(1) })
      on('bin', function () { core.endEpisode(-1) })
    }</script></head><body><div id="query"></div><div id="area"></div></body></html>`,
  ...Object.fromEntries(
    ['star', 'bin'].map((name) => [
      `miniwob/html/miniwob/${name}.svg`,
      `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><path d="M0 0h16v16z"/><!-- ${name} --></svg>`,
    ]),
  ),
}

async function smallWheel(): Promise<Buffer> {
  const pages = Object.entries(pageFiles('http://127.0.0.1:9')).filter(
    ([path]) => !HANGING.test(path) && !LEAVING.test(path),
  )
  const wheel = await wheelOf({ ...CORE_FILES, ...Object.fromEntries(pages), ...ICONS })
  return Buffer.from(await wheel.arrayBuffer())
}

/** What the list says of each page. */
const WORDS = {
  'click-name': 'runs',
  fails: expect.stringMatching(/^A script of the page fails: ReferenceError: /) as string,
  forges: 'The page sent an answer that we cannot read.',
  icons: 'runs',
  lacks: 'The wheel lacks core/absent.js, which it loads.',
  'never-ends': 'Its episode does not end when its time is over.',
  'reach-out': 'runs',
  'type-word': 'runs',
}
const LIST = `Object.fromEntries(Array.from(document.querySelectorAll('[aria-label="Tasks of MiniWoB++"] label'),
  (label) => ['.name', '.words'].map((part) => label.querySelector(part).textContent)))`

async function drop(walker: Walker, wheel: Buffer): Promise<void> {
  await walker.press('radio', /^Desktop/)
  await walker.see('Recorded run')
  await walker.evaluate(
    `(() => {
      const bytes = Uint8Array.from(atob('${wheel.toString('base64')}'), (character) => character.charCodeAt(0))
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([bytes], 'miniwob.whl'))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })()`,
  )
}

/** As in a window that nobody sees, or on a busy machine: a page is ready long before it is first drawn. */
function seldomDrawing(): Engine[] {
  const start = () => walkInFirefox({ 'layout.frame_rate': 1 })
  return engines()
    .filter(({ name }) => name === 'Firefox')
    .map(({ missing }) => ({ name: 'Firefox that draws once a second', missing, start }))
}

describe.each([...engines(), ...seldomDrawing()])('in $name', ({ missing, start }) => {
  const why = missing === null ? '' : ` (skipped: no ${missing} here)`
  const onPage = async (walk: (walker: Walker) => Promise<void>) => {
    const server = await serveStatic()
    const walker = await start()
    try {
      await walker.goTo(`${server.address}#loop`)
      await walk(walker)
    } finally {
      await walker.close()
      await server.close()
    }
  }

  it.skipIf(missing !== null)(`task pages are checked and played${why}`, () =>
    onPage(async (walker) => {
      await drop(walker, await smallWheel())
      await walker.see(' of 8 pages run.')
      expect(await walker.evaluate(LIST)).toEqual(WORDS)
      await walker.press('summary', /^Play a task by hand/)
      const wanted = await walker.read('heading', /^Click "(\w+)"/)
      await walker.inFrame(() => walker.inFrame(() => walker.press('button', new RegExp(`^${wanted}$`))))
      await walker.see('Won: the page’s reward is 1.00.')
    }),
  )

  it.skipIf(missing !== null || WHEEL === undefined)(`every page of MINIWOB_WHEEL runs${why}`, () =>
    onPage(async (walker) => {
      await drop(walker, await readFile(WHEEL!))
      await walker.see('130 of 130 pages run.')
    }),
  )
})
