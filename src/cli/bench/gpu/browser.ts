/**
 * Measures in a page of a headless Chromium, which is driven through a pipe: it needs no display, no driver program and no port, and
 * it ends when this process does.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { launchFlags, SOFTWARE_ADAPTER_FLAGS } from '../../../../scripts/launch-flags.mjs'
import { errorText } from '../../../threads/error-text.ts'
import { withLibraries } from './carried.ts'
import { endedByItself, type StartMeasurer } from './measurer.ts'
import { pageQuery } from './page-request.ts'
import { type PageServer, servePage } from './page-server.ts'

/** A headless Chromium on Linux uses no graphics adapter without them. */
const LINUX_FLAGS = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=native',
  '--use-angle=vulkan',
  '--ignore-gpu-blocklist',
  '--disable-vulkan-surface',
  '--disable-gpu-sandbox',
]

export function adapterFlags(isSoftware: boolean): readonly string[] {
  if (isSoftware) return SOFTWARE_ADAPTER_FLAGS
  return process.platform === 'linux' ? LINUX_FLAGS : ['--ignore-gpu-blocklist']
}

/** The page waits forever in a browser whose graphics process crashes again and again. */
const ADAPTER_MS = 60_000

/** Kept of the start and of the end of the browser's output: a graphics process that crashes repeats its lines. */
const KEPT_LINES = 20

/** Commands of the DevTools protocol, by their ids. */
const COMMANDS = ['Browser.getVersion', 'Target.setDiscoverTargets', 'Target.createTarget'] as const

interface Reply {
  id?: number
  method?: string
  error?: { message: string }
  result?: { product?: string }
  params?: { status?: string }
}

export const startBrowser =
  (path: string, flags: readonly string[]): StartMeasurer =>
  (request, { message, ended }) => {
    const profile = mkdtempSync(join(tmpdir(), 'gpu-bench-'))
    const isGroup = process.platform !== 'win32'
    const browser = spawn(
      path,
      [
        '--headless=new',
        '--remote-debugging-pipe',
        `--user-data-dir=${profile}`,
        ...launchFlags(),
        ...flags,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env: withLibraries(process.env), detached: isGroup },
    )
    const output = browser.stdio[2] as Readable
    const commands = browser.stdio[3] as Writable
    const replies = browser.stdio[4] as Readable
    const lines: string[] = []
    let server: PageServer | null = null
    let isStopped = false
    let version = ''

    const fail = (why: string) => {
      if (isStopped) return
      process.stderr.write(`The browser's output, with its middle left out:\n${lines.join('\n')}\n`)
      ended(why)
    }
    const timer = setTimeout(() => fail('The browser reported no adapter within a minute.'), ADAPTER_MS)
    output.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.trimEnd().split('\n'))
      if (lines.length > 2 * KEPT_LINES) lines.splice(KEPT_LINES, lines.length - 2 * KEPT_LINES)
    })
    browser.on('error', (error) => fail(error.message))
    browser.on('exit', (code, signal) => {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
      fail(endedByItself('The browser', code, signal))
    })
    // A browser that has ended reads no commands; its exit is reported.
    commands.on('error', () => undefined)
    let unread = ''
    replies.setEncoding('utf8').on('data', (text: string) => {
      const whole = (unread + text).split('\0')
      unread = whole.pop()!
      for (const reply of whole) read(JSON.parse(reply) as Reply)
    })
    const read = ({ id, method, error, result, params }: Reply) => {
      if (error) fail(`The browser refused ${COMMANDS[id ?? -1] ?? 'a command'}: ${error.message}.`)
      if (result?.product !== undefined) version = result.product.split('/').at(-1)!
      if (method === 'Target.targetCrashed') fail(`The page crashed (${params?.status}).`)
    }
    const send = (method: (typeof COMMANDS)[number], params = {}) =>
      commands.write(`${JSON.stringify({ id: COMMANDS.indexOf(method), method, params })}\0`)

    servePage((received) => {
      clearTimeout(timer)
      if (received.kind === 'error') fail(received.message)
      else message(received)
    })
      .then((opened) => {
        server = opened
        if (isStopped) return opened.close()
        send('Browser.getVersion')
        send('Target.setDiscoverTargets', { discover: true })
        send('Target.createTarget', { url: opened.address + pageQuery(request) })
      })
      .catch((error: unknown) => fail(errorText(error)))

    return {
      stop() {
        isStopped = true
        clearTimeout(timer)
        server?.close()
        // Its graphics process may hang in a driver and outlive it.
        const isRunning = browser.exitCode === null && browser.signalCode === null
        if (isGroup && isRunning && browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL')
        else browser.kill('SIGKILL')
      },
      name: () => `Chromium ${version}`.trimEnd(),
    }
  }
