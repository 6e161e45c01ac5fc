/**
 * The part of WebDriver that the walk through the page needs (https://www.w3.org/TR/webdriver2/), over two wires: WebKit's driver
 * takes it over HTTP, and Firefox itself takes the same commands over its own protocol, Marionette, without geckodriver.
 */
import { createConnection, type Socket } from 'node:net'

export type Command =
  | 'Navigate'
  | 'ExecuteScript'
  | 'ElementClick'
  | 'ElementSendKeys'
  | 'SwitchToFrame'
  | 'SwitchToParentFrame'
  | 'TakeScreenshot'
  | 'SetWindowRect'
  | 'SetTimeouts'
  | 'DeleteSession'

export interface Wire {
  send(command: Command, parameters?: Record<string, unknown>): Promise<unknown>
}

/** How JSON names an element (https://www.w3.org/TR/webdriver2/#elements). */
export const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

const PATHS: Record<Command, (element: string) => string> = {
  Navigate: () => 'url',
  ExecuteScript: () => 'execute/sync',
  ElementClick: (element) => `element/${element}/click`,
  ElementSendKeys: (element) => `element/${element}/value`,
  SwitchToFrame: () => 'frame',
  SwitchToParentFrame: () => 'frame/parent',
  TakeScreenshot: () => 'screenshot',
  SetWindowRect: () => 'window/rect',
  SetTimeouts: () => 'timeouts',
  DeleteSession: () => '',
}

const methodOf = (command: Command) =>
  command === 'TakeScreenshot' ? 'GET' : command === 'DeleteSession' ? 'DELETE' : 'POST'

/** Opens a session of a driver at an address. */
export async function httpWire(address: string, capabilities: Record<string, unknown>): Promise<Wire> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const response = await fetch(`${address}/session${path}`, { method, ...(text !== undefined && { body: text }) })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null }
    if (!response.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`)
    return value as unknown
  }
  const { sessionId } = (await ask('POST', '', { capabilities: { alwaysMatch: capabilities } })) as {
    sessionId: string
  }
  return {
    send(command, parameters = {}) {
      const method = methodOf(command)
      const { id, ...rest } = parameters
      // An element is part of the path. A frame is not.
      const isElement = typeof id === 'string'
      const path = PATHS[command](isElement ? id : '')
      const body = isElement ? rest : parameters
      return ask(method, `/${sessionId}${path && '/'}${path}`, method === 'POST' ? body : undefined)
    },
  }
}

/** A message is `LENGTH:[type, id, error, result]`; type 1 is an answer. */
type Answer = [1, number, { error: string; message: string } | null, unknown]

/** Connects to Firefox. Tries again until it listens. */
export async function marionetteWire(port: number, isAlive: () => boolean): Promise<Wire> {
  let socket: Socket | null = null
  while (socket === null) {
    if (!isAlive()) throw new Error('Firefox has ended before it could be controlled.')
    socket = await connected(port).catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return null
    })
  }
  const connection = socket
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let buffer = Buffer.alloc(0)
  connection.on('data', (data) => {
    buffer = Buffer.concat([buffer, data])
    for (;;) {
      const colon = buffer.indexOf(':')
      const length = Number(buffer.subarray(0, colon))
      if (colon < 0 || buffer.length < colon + 1 + length) return
      const message: unknown = JSON.parse(buffer.subarray(colon + 1, colon + 1 + length).toString())
      buffer = buffer.subarray(colon + 1 + length)
      // The first message is a greeting.
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message as Answer
      const call = waiting.get(id)
      waiting.delete(id)
      if (error) call?.reject(new Error(`${error.error}: ${error.message}`))
      else call?.resolve(result)
    }
  })
  connection.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox closed the connection.'))
  })
  let ids = 0
  const send = (name: string, parameters: Record<string, unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++ids
      waiting.set(id, { resolve, reject })
      const text = JSON.stringify([0, id, name, parameters])
      connection.write(`${Buffer.byteLength(text)}:${text}`)
    })
  await send('WebDriver:NewSession', {})
  return {
    async send(command, parameters = {}) {
      const result = await send(`WebDriver:${command}`, parameters)
      return (result as { value?: unknown } | null)?.value ?? null
    },
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => resolve(socket))
    socket.once('error', reject)
  })
}
