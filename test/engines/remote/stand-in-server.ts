/** A server in this process with scripted answers and faults, which records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../../local-server.ts'

export interface Asked<Body = Record<string, unknown>> {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Empty without a body. */
  body: Body
}

export type Answer =
  | { status?: number; json: unknown; headers?: Record<string, string>; delayMs?: number }
  | { status?: number; text: string }
  /** Closes the connection after reading the request, optionally after half an answer. */
  | { breaks: 'before' | 'midway' }
  /** Never answers. */
  | { hangs: true }

export interface StandInServer<Body = Record<string, unknown>> {
  url: string
  asked: Asked<Body>[]
  /** Most requests that were open at once. */
  mostAtOnce: number
  close(): Promise<void>
}

export async function standInServer<Body = Record<string, unknown>>(
  answer: (asked: Asked<Body>, index: number) => Answer | Promise<Answer>,
  port = 0,
): Promise<StandInServer<Body>> {
  const asked: Asked<Body>[] = []
  let open = 0
  const state = { mostAtOnce: 0 }
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const entry: Asked<Body> = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: JSON.parse(text === '' ? '{}' : text) as Body,
      }
      const index = asked.push(entry) - 1
      state.mostAtOnce = Math.max(state.mostAtOnce, ++open)
      response.on('close', () => open--)
      await give(response, await answer(entry, index))
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  const { address: url, close } = await listening(server, port)
  return {
    url,
    asked,
    get mostAtOnce() {
      return state.mostAtOnce
    },
    close,
  }
}

async function give(response: ServerResponse, answer: Answer): Promise<void> {
  if ('hangs' in answer) return
  if ('breaks' in answer) {
    if (answer.breaks === 'midway') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"value": ')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    response.socket?.destroy()
    return
  }
  if ('text' in answer) {
    response.writeHead(answer.status ?? 200).end(answer.text)
    return
  }
  if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
  response.end(JSON.stringify(answer.json))
}
