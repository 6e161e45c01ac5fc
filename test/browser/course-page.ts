/** A course page of another origin with a frame, which keeps the messages that it hears. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { listening } from '../local-server.ts'

export interface CoursePage {
  address: string
  close(): Promise<void>
}

/** `frame` is its HTML, in which https://course.example stands for the course page's own origin. */
export async function serveCourse(frame: string, host = 'localhost'): Promise<CoursePage> {
  const html = `<!doctype html><title>Course</title><script>
    globalThis.heard = []
    addEventListener('message', ({ data, origin }) => heard.push({ ...data, origin }))
  </script>${frame}`
  const server = createServer((request, response) => {
    const own = html.replaceAll('https://course.example', `http://${request.headers.host}`)
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(own)
  })
  const { port, close } = await listening(server)
  // Another host name is another site.
  return { address: `http://${host}:${port}/`, close }
}

export type Heard = Record<'source' | 'origin' | 'type', string> & {
  evidence?: string
  runId?: string
  iteration?: number
}
export const heard = (page: Page) => page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard)

/** The iframe of docs/hosting.md. */
export function documented(source: string): string {
  const recipe = /<iframe[^]*?<\/iframe>/.exec(readFileSync(join(root, 'docs', 'hosting.md'), 'utf8'))![0]
  const shown = recipe.replace(/src="[^"]*"/, `src="${source}"`)
  expect(shown).toContain(source)
  return shown
}
