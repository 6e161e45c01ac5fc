/**
 * Counts what work costs a graphics device beside arithmetic: every dispatch, submission and upload is a call through the browser to
 * another process, which for small models takes longer than the arithmetic.
 */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import { submitCommands } from './submit-commands.ts'

export interface DispatchCount {
  dispatches: number
  /** Submissions of command buffers to the queue. */
  submissions: number
  computePasses: number
  /** Writes into buffers: uniforms, indices, values of new tensors. */
  uploads: number
  /** Dispatches by the label of their pipeline. */
  byProgram: Record<string, number>
}

/**
 * Runs `work` and counts all commands to the backend's device meanwhile, from any program. Submits earlier commands first; commands
 * that `work` leaves recorded count as dispatched but not as submitted.
 */
export async function countDispatches<T>(
  backend: WebGPUBackend,
  work: () => T | Promise<T>,
): Promise<{ result: T; count: DispatchCount }> {
  submitCommands(backend)
  const { device } = backend
  const { queue } = device
  const count: DispatchCount = { dispatches: 0, submissions: 0, computePasses: 0, uploads: 0, byProgram: {} }
  const observed = [
    observe(queue, 'submit', () => count.submissions++),
    observe(queue, 'writeBuffer', () => count.uploads++),
    observe(device, 'createBuffer', (_buffer, { mappedAtCreation }) => {
      if (mappedAtCreation) count.uploads++
    }),
    observe(device, 'createCommandEncoder', (encoder) => {
      observe(encoder, 'beginComputePass', (pass) => {
        count.computePasses++
        let program = ''
        observe(pass, 'setPipeline', (_nothing, { label }) => (program = label))
        observe(pass, 'dispatchWorkgroups', () => {
          count.dispatches++
          count.byProgram[program] = (count.byProgram[program] ?? 0) + 1
        })
      })
    }),
  ]
  try {
    return { result: await work(), count }
  } finally {
    for (const stop of observed) stop()
  }
}

/** Reports calls of one object's method until the returned function is called. */
function observe<Target extends object, Name extends keyof Target>(
  target: Target,
  name: Name,
  tell: (result: Returned<Target[Name]>, ...args: Taken<Target[Name]>) => void,
): () => void {
  const method = target[name] as (...args: Taken<Target[Name]>) => Returned<Target[Name]>
  const observed: typeof method = (...args) => {
    const result = method.apply(target, args)
    tell(result, ...args)
    return result
  }
  Object.defineProperty(target, name, { value: observed, configurable: true })
  return () => Reflect.deleteProperty(target, name)
}

type Returned<Method> = Method extends (...args: never[]) => infer Result ? Result : never
type Taken<Method> = Method extends (...args: infer Args) => unknown ? Args : never
