/**
 * Where messages between threads go in and out. Browsers have Worker and `self`, Node has worker_threads; Comlink
 * wants the event-target shape of the first, so that of the second is adapted to it.
 */
import type { Endpoint } from 'comlink'

/** What Node's Worker and its parentPort have in common. */
export interface NodePort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(type: string, listener: (value: unknown) => void): unknown
  off(type: string, listener: (value: unknown) => void): unknown
}

type Listener = Parameters<Endpoint['addEventListener']>[1]

export function nodeEndpoint(port: NodePort): Endpoint {
  const adapted = new WeakMap<Listener, (value: unknown) => void>()
  return {
    postMessage: (message: unknown, transfer?: Transferable[]) => port.postMessage(message, transfer),
    addEventListener(_type, listener) {
      const onMessage = (data: unknown) => {
        const event = new MessageEvent('message', { data })
        if ('handleEvent' in listener) listener.handleEvent(event)
        else listener(event)
      }
      adapted.set(listener, onMessage)
      port.on('message', onMessage)
    },
    removeEventListener(_type, listener) {
      const onMessage = adapted.get(listener)
      if (onMessage !== undefined) port.off('message', onMessage)
    },
  }
}

/** Node's own modules without an import that a bundler for browsers would follow; null in a browser. */
export function nodeModule<Name extends 'node:worker_threads' | 'node:fs/promises'>(name: Name) {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return null
  return process.getBuiltinModule(name)
}

/** The endpoint of this worker towards whoever started it. */
export function parentEndpoint(): Endpoint {
  const port = nodeModule('node:worker_threads')?.parentPort
  return port ? nodeEndpoint(port) : (globalThis as unknown as Endpoint)
}
