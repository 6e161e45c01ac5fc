/** A bridge to a service in this thread, so that a test can inspect it. */
import type { Bridge, Remoted } from '../../src/threads/worker-bridge.ts'

export function localBridge<Service extends object>(
  service: Service,
  terminate: () => void = () => {},
): Bridge<Service> {
  const remote = new Proxy(service, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      return typeof method === 'function'
        ? (...args: unknown[]): unknown => Reflect.apply(method, target, args)
        : undefined
    },
  })
  return { remote: remote as unknown as Remoted<Service>, lost: new Promise(() => {}), terminate }
}
