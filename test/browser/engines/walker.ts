/** Walks through the page in one of three engines: the same few gestures, by role and name. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { webkit, type Browser, type FrameLocator, type Page } from 'playwright-core'
import { freePort } from '../../local-server.ts'
import { openBrowser } from '../harness.ts'
import { collectUncaught } from './collect-uncaught.ts'
import { findElement } from './find-element.ts'
import { ELEMENT, httpWire, marionetteWire, type Wire } from './webdriver.ts'

export type Role = 'button' | 'link' | 'textbox' | 'slider' | 'img' | 'alert' | 'heading' | 'radio' | 'summary'

export interface Walker {
  /** Throws if there were uncaught errors before. */
  goTo(address: string): Promise<void>
  /** Waits until the page shows a text. */
  see(text: string): Promise<void>
  /** Waits for an element and returns its name as the first group of the pattern reads it. */
  read(role: Role, name: RegExp): Promise<string>
  press(role: Role, name: RegExp): Promise<void>
  /** Sees, reads, presses and fills in the first frame of the page, or of the frame that it is in. */
  inFrame(visit: () => Promise<void>): Promise<void>
  /** Replaces the text of a field and presses Enter. */
  fill(name: RegExp, value: string): Promise<void>
  /** Value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>
  /** What nothing caught so far: in Firefox and WebKit, since pages had loaded, and in frames during a visit. */
  uncaught(): Promise<readonly string[]>
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

export interface Engine {
  name: string
  /** Null if it can start here, else what is missing. */
  missing: string | null
  start(): Promise<Walker>
}

const SIZE = { width: 1280, height: 900 }
/** Milliseconds that something may take to appear on a busy machine. */
const PATIENCE = 120_000

function expectNone(uncaught: readonly string[]): void {
  if (uncaught.length > 0) throw new Error(`The page did not catch: ${uncaught.join('; ')}`)
}

export function engines(): Engine[] {
  return [
    { name: 'Chromium', missing: null, start: async () => walkWithPlaywright(await openBrowser()) },
    { name: 'Firefox', missing: missing(FIREFOX), start: () => walkInFirefox() },
    webKit(),
  ]
}

/** Debian's WebKit, else Playwright's, which `npx playwright-core install webkit` brings. */
function webKit(): Engine {
  const lacking = missing(WEBKIT_DRIVER) ?? missing(MINI_BROWSER) ?? missing('Xvfb')
  if (lacking !== null && existsSync(webkit.executablePath()))
    return { name: 'WebKit', missing: null, start: async () => walkWithPlaywright(await webkit.launch()) }
  return { name: 'WebKit', missing: lacking, start: walkInWebKit }
}

const FIREFOX = process.env.FIREFOX_PATH ?? found('firefox-esr') ?? 'firefox'
const WEBKIT_DRIVER = 'WebKitWebDriver'
const MINI_BROWSER =
  ['x86_64', 'aarch64']
    .map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path)) ?? 'MiniBrowser'

function found(program: string): string | null {
  if (program.startsWith('/')) return existsSync(program) ? program : null
  try {
    return execFileSync('which', [program], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}

function missing(program: string): string | null {
  return found(program) === null ? program : null
}

async function walkWithPlaywright(browser: Browser): Promise<Walker> {
  const context = await browser.newContext({ viewport: SIZE })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  const uncaught: string[] = []
  page.on('pageerror', (error) => uncaught.push(error.message))
  let place: Page | FrameLocator = page
  const find = (role: Role, name: RegExp) =>
    (role === 'summary' ? place.locator('summary').filter({ hasText: name }) : place.getByRole(role, { name })).first()
  return {
    async goTo(address) {
      expectNone(uncaught)
      await page.goto(address)
    },
    see: (text) => place.getByText(text).first().waitFor(),
    async read(role, name) {
      await find(role, name).waitFor()
      const label = (await find(role, name).getAttribute('aria-label')) ?? (await find(role, name).textContent())
      return name.exec(label?.replace(/\s+/g, ' ').trim() ?? '')?.[1] ?? ''
    },
    press: (role, name) => find(role, name).click(),
    async inFrame(visit) {
      const around = place
      place = around.frameLocator('iframe').first()
      await visit()
      place = around
    },
    async fill(name, value) {
      await find('textbox', name).fill(value)
      await find('textbox', name).press('Enter')
    },
    evaluate: (expression) => page.evaluate(expression),
    uncaught: async () => uncaught,
    screenshot: () => page.screenshot(),
    async close() {
      await context.close()
      await browser.close()
    },
  }
}

/** `changed` are preferences by name (about:config). */
export async function walkInFirefox(changed: Readonly<Record<string, number | boolean>> = {}): Promise<Walker> {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
  const port = await freePort()
  const preferences = { 'marionette.port': port, 'datareporting.policy.dataSubmissionEnabled': false, ...changed }
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});`)
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const firefox = spawn(FIREFOX, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
  })
  const wire = await marionetteWire(port, () => firefox.exitCode === null)
  return walkWith(wire, async () => {
    await end(firefox)
    rmSync(profile, { recursive: true, force: true })
  })
}

/** On a display of its own, in memory. */
async function walkInWebKit(): Promise<Walker> {
  const display = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    display.stdout.once('data', (text) => resolve(String(text).trim()))
    display.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}.`)))
  })
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${number}`, GDK_BACKEND: 'x11' }
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], { stdio: 'ignore', env })
  const address = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${address}/status`).then(
      () => true,
      () => false,
    )
  while (!(await isReady())) {
    if (driver.exitCode !== null) throw new Error(`${WEBKIT_DRIVER} ended with code ${driver.exitCode}.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const options = { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] } }
  const wire = await httpWire(address, options)
  return walkWith(wire, async () => {
    await end(driver)
    await end(display)
  })
}

async function walkWith(wire: Wire, stop: () => Promise<void>): Promise<Walker> {
  await wire.send('SetTimeouts', { script: PATIENCE, pageLoad: PATIENCE, implicit: 0 })
  await wire.send('SetWindowRect', { ...SIZE, x: 0, y: 0 })
  const script = (text: string, ...args: unknown[]) => wire.send('ExecuteScript', { script: text, args })
  /** In one line, which is what a list of failed tests has room for, and without the header, which is the same everywhere. */
  const shown = async () =>
    String(await script('return (document.querySelector("main") ?? document.body).innerText')).replace(/\s+/g, ' ')
  const until = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
    const end = Date.now() + PATIENCE
    for (;;) {
      // A page that is just being replaced may refuse.
      const seen = await look().catch(() => null)
      if (seen !== null && seen !== false) return seen
      if (Date.now() > end) throw new Error(`${what} did not appear. The page shows: ${(await shown()).slice(0, 2000)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const FIND = `const found = (${findElement.toString()})(...arguments); `
  const find = (role: Role, name: RegExp): Promise<Record<string, string>> =>
    until(
      `${role} ${name}`,
      async () => (await script(`${FIND}return found`, role, name.source)) as Record<string, string> | null,
    )
  const press = async (role: Role, name: RegExp) => {
    // A person presses the label of a choice, which is larger.
    const pressed = 'const pressed = arguments[0].closest("label") ?? arguments[0]; '
    const scrolled = `${pressed}pressed.scrollIntoView({ block: "center" }); return pressed`
    const element = (await script(scrolled, await find(role, name))) as Record<string, string>
    await wire.send('ElementClick', { id: element[ELEMENT] })
  }
  const uncaught: string[] = []
  const listen = () => script(`window.uncaught ??= (${collectUncaught.toString()})()`)
  const collect = async () => {
    uncaught.push(...((await script('return window.uncaught?.splice(0) ?? []')) as string[]))
  }
  return {
    async goTo(address) {
      await collect()
      expectNone(uncaught)
      await wire.send('Navigate', { url: address })
      await listen()
    },
    see: async (text) => {
      const has = 'return document.body.innerText.replace(/\\s+/g, " ").includes(arguments[0])'
      await until(`“${text}”`, async () => ((await script(has, text)) ? true : null))
    },
    read: (role, name) =>
      until(`${role} ${name}`, async () => {
        const text = `${FIND}return found && (found.getAttribute('aria-label') ?? found.textContent).replace(/\\s+/g, ' ').trim()`
        const label = (await script(text, role, name.source)) as string | null
        return label === null ? null : (name.exec(label)?.[1] ?? '')
      }),
    press,
    async inFrame(visit) {
      await until('a frame', async () => {
        await wire.send('SwitchToFrame', { id: 0 })
        return true
      })
      await listen()
      await visit()
      await collect()
      await wire.send('SwitchToParentFrame')
    },
    async fill(name, value) {
      const element = await find('textbox', name)
      // Selected, so that the keys replace it. WebKit's driver cannot clear a field in a box that scrolls.
      await script('arguments[0].scrollIntoView({ block: "center" }); arguments[0].select()', element)
      const text = `${value}\uE007`
      await wire.send('ElementSendKeys', { id: element[ELEMENT], text })
    },
    evaluate: async <T>(expression: string) => (await script(`return (${expression})`)) as T,
    async uncaught() {
      await collect()
      return uncaught
    },
    screenshot: async () => Buffer.from((await wire.send('TakeScreenshot', { full: false })) as string, 'base64'),
    async close() {
      await wire.send('DeleteSession').catch(() => undefined)
      await stop()
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
}
