/**
 * Measures how long a graphics device runs each program, with the device's own clock. Every dispatch gets a compute pass of its own,
 * which takes longer than many in one pass: the sum says where the time goes, not how long the work takes otherwise.
 */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import { submitCommands } from './submit-commands.ts'

export interface ProgramTime {
  /** The label of its pipeline. */
  program: string
  dispatches: number
  /** Milliseconds of all dispatches together. */
  ms: number
}

/** Dispatches whose times fit in one set of queries. */
const MOST_DISPATCHES = 2048
const BYTES_OF_TIME = 8

interface Recorded {
  encoder: GPUCommandEncoder
  queries: GPUQuerySet
  programs: string[]
}

/**
 * Runs `work` and times every dispatch to the backend's device meanwhile, longest program first. Browsers round the times, usually to
 * 0.1 ms. Throws Error if the device has no clock.
 */
export async function timePrograms<T>(
  backend: WebGPUBackend,
  work: () => T | Promise<T>,
): Promise<{ result: T; times: ProgramTime[] }> {
  const { device } = backend
  if (!device.features.has('timestamp-query'))
    throw new Error('This graphics device has no clock to time programs with.')
  submitCommands(backend)
  const recorded: Recorded[] = []
  const createCommandEncoder = device.createCommandEncoder.bind(device)
  device.createCommandEncoder = (descriptor) => {
    const encoder = createCommandEncoder(descriptor)
    const beginComputePass = encoder.beginComputePass.bind(encoder)
    encoder.beginComputePass = () => timedPass(device, encoder, beginComputePass, recorded)
    return encoder
  }
  try {
    const result = await work()
    submitCommands(backend)
    return { result, times: await readTimes(device, createCommandEncoder(), recorded) }
  } finally {
    Reflect.deleteProperty(device, 'createCommandEncoder')
  }
}

/** Behaves like a pass to which programs are recorded, and records each in a pass of its own. */
function timedPass(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  begin: GPUCommandEncoder['beginComputePass'],
  recorded: Recorded[],
): GPUComputePassEncoder {
  let pipeline: GPUComputePipeline
  const groups: Parameters<GPUComputePassEncoder['setBindGroup']>[] = []
  const pass = {
    setPipeline(wanted: GPUComputePipeline) {
      pipeline = wanted
    },
    setBindGroup(...call: Parameters<GPUComputePassEncoder['setBindGroup']>) {
      // The backend writes the next offset into the same array.
      groups[call[0]] = call.map((part) => (part instanceof Uint32Array ? part.slice() : part)) as typeof call
    },
    dispatchWorkgroups(...size: [number, number?, number?]) {
      let set = recorded.at(-1)
      if (set?.encoder !== encoder || set.programs.length === MOST_DISPATCHES) {
        const queries = device.createQuerySet({ type: 'timestamp', count: 2 * MOST_DISPATCHES })
        recorded.push((set = { encoder, queries, programs: [] }))
      }
      const first = 2 * set.programs.length
      const real = begin({
        timestampWrites: {
          querySet: set.queries,
          beginningOfPassWriteIndex: first,
          endOfPassWriteIndex: first + 1,
        },
      })
      real.setPipeline(pipeline)
      for (const call of groups) if (call as unknown) real.setBindGroup(...call)
      real.dispatchWorkgroups(...size)
      real.end()
      set.programs.push(pipeline.label)
    },
    end() {},
  }
  return pass as unknown as GPUComputePassEncoder
}

async function readTimes(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  recorded: readonly Recorded[],
): Promise<ProgramTime[]> {
  const bytes = 2 * MOST_DISPATCHES * BYTES_OF_TIME
  const buffers = recorded.map(({ queries, programs }) => {
    const resolved = device.createBuffer({ size: bytes, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC })
    const read = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    encoder.resolveQuerySet(queries, 0, 2 * programs.length, resolved, 0)
    encoder.copyBufferToBuffer(resolved, 0, read, 0, bytes)
    return { resolved, read }
  })
  device.queue.submit([encoder.finish()])
  const times = new Map<string, ProgramTime>()
  for (const [index, { resolved, read }] of buffers.entries()) {
    await read.mapAsync(GPUMapMode.READ)
    const nanoseconds = new BigUint64Array(read.getMappedRange())
    for (const [at, program] of recorded[index]!.programs.entries()) {
      const known = times.get(program) ?? { program, dispatches: 0, ms: 0 }
      known.dispatches++
      known.ms += Number(nanoseconds[2 * at + 1]! - nanoseconds[2 * at]!) / 1e6
      times.set(program, known)
    }
    for (const buffer of [resolved, read]) buffer.destroy()
    recorded[index]!.queries.destroy()
  }
  return [...times.values()].sort((a, b) => b.ms - a.ms)
}
