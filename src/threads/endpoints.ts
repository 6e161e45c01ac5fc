/**
 * Endpoints for messages between threads. Browsers have Worker and `self`, Node has worker_threads; this adapts Node's ports
 * to the event-target shape that Comlink requires.
 */
import type { Endpoint } from 'comlink'

/** The common part of Node's Worker and its parentPort. */
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

/** Loads a module of Node without an import that a browser bundler would follow; null in a browser. */
export function nodeModule<Name extends 'node:worker_threads' | 'node:fs/promises'>(name: Name) {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return null
  return process.getBuiltinModule(name)
}

/** The endpoint of this worker to the thread that started it. */
export function parentEndpoint(): Endpoint {
  const port = nodeModule('node:worker_threads')?.parentPort
  return port ? nodeEndpoint(port) : (globalThis as unknown as Endpoint)
}
