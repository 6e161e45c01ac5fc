/**
 * Lets the event loop run now and then, so that a worker receives messages, such as an abort, during a long job. That takes a new
 * task, not just a promise; a message channel makes one without the 4 ms of a timer.
 */
const INTERVAL_MS = 20

export class Breather {
  #last = performance.now()

  /** Throws the signal's reason if it was aborted. */
  async breathe(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (performance.now() - this.#last < INTERVAL_MS) return
    await nextTask()
    this.#last = performance.now()
    signal?.throwIfAborted()
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
