/** Ends a worker that does not answer in time. */
import type { Bridge } from './worker-bridge.ts'

/**
 * The same bridge, whose calls reject with `late(method)` after `milliseconds`; the worker is then terminated. All later calls
 * reject like those of a lost worker.
 */
export function deadlined<Service>(
  bridge: Bridge<Service>,
  milliseconds: number,
  late: (method: string) => Error,
): Bridge<Service> {
  const remote = new Proxy(bridge.remote, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || typeof name === 'symbol') return method
      return async (...args: unknown[]) => {
        let timer: ReturnType<typeof setTimeout> | undefined
        const tooLate = new Promise<never>((_, reject) => {
          timer = setTimeout(() => {
            reject(late(name))
            bridge.terminate()
          }, milliseconds)
        })
        try {
          return await Promise.race([Reflect.apply(method, target, args) as Promise<unknown>, tooLate])
        } finally {
          clearTimeout(timer)
        }
      }
    },
  })
  return { ...bridge, remote: remote }
}
