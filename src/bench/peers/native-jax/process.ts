/** A Python process that runs llama.py on one model, with one request at a time. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { openSync, closeSync, writeSync, rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { inverseFrequencies } from '../../../language-model/files/config.ts'
import { parameterShapes } from '../../../language-model/weights/parameters.ts'
import type { BenchModel } from '../../bench-model.ts'
import { LEARNING_RATE, MAX_GRAD_NORM, PeerUnavailableError } from '../../subjects.ts'
import { errorText } from '../../../threads/error-text.ts'

export interface NativeJaxOptions {
  /** The command of a Python with jax; undefined if there is none. */
  python: string | undefined
  /** Threads of XLA's pools. */
  threads: number
}

const SCRIPT = fileURLToPath(new URL('./llama.py', import.meta.url))
/** Last characters of its error output that are kept, to report the reason. */
const LAST_CHARACTERS = 400

const greeting = v.object({ jax: v.string(), python: v.string(), device: v.string() })
const spent = v.looseObject({ processorMs: v.number(), peakBytes: v.nullable(v.number()) })

export class JaxProcess {
  readonly name: string
  readonly note: string
  /** Processor time of all its threads so far. */
  processorMs = 0
  /** Most memory that it has had; null if its system does not count it. */
  peakBytes: number | null = null
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface
  readonly #folder: string
  readonly #ended: Promise<string>

  /** Throws PeerUnavailableError if there is no such Python, or it has no jax. */
  static async start(model: BenchModel, { python, threads }: NativeJaxOptions): Promise<JaxProcess> {
    if (!python) throw new PeerUnavailableError('JAX_PYTHON does not name a Python with jax.')
    const folder = await mkdtemp(join(tmpdir(), 'bench-jax-'))
    const jax = new JaxProcess(python, threads, folder)
    try {
      const { config } = model
      const weights = join(folder, 'weights')
      writeWeights(weights, model)
      const { jax: jaxVersion, python: pythonVersion } = v.parse(
        greeting,
        await jax.#answer({
          config: {
            layers: config.layers,
            headDim: config.headDim,
            normEpsilon: config.normEpsilon,
            inverseFrequencies: Array.from(inverseFrequencies(config)),
          },
          training: { learningRate: LEARNING_RATE, maxGradNorm: MAX_GRAD_NORM },
          weights,
          shapes: parameterShapes(config).map(({ name, shape }) => [name, shape]),
        }),
      )
      rmSync(weights)
      return Object.assign(jax, { note: `JAX ${jaxVersion}, Python ${pythonVersion}, ${threadsText(threads)}` })
    } catch (error) {
      jax.dispose()
      throw new PeerUnavailableError(errorText(error))
    }
  }

  private constructor(python: string, threads: number, folder: string) {
    this.name = nativeJaxName(threads)
    this.note = ''
    this.#folder = folder
    this.#child = spawn(python, [SCRIPT], {
      env: {
        ...process.env,
        JAX_PLATFORMS: 'cpu',
        // The size of XLA's thread pools, which is otherwise the number of cores.
        NPROC: String(threads),
        XLA_FLAGS: `--xla_cpu_multi_thread_eigen=${threads > 1}`,
      },
    })
    let complaint = ''
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-LAST_CHARACTERS)
    })
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message))
      this.#child.on('close', (code) =>
        resolve(`${python} ended with code ${code}: ${complaint.trim().split('\n').at(-1)}`),
      )
    })
    // A Python that ends early closes its input; what it wrote is more informative.
    this.#child.stdin.on('error', () => undefined)
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** Asks for a call of llama.py. Rejects with what Python wrote if it ends. */
  async ask<Schema extends v.GenericSchema>(schema: Schema, request: object): Promise<v.InferOutput<Schema>> {
    const answer = await this.#answer(request)
    const { processorMs, peakBytes } = v.parse(spent, answer)
    this.processorMs = processorMs
    this.peakBytes = peakBytes
    return v.parse(schema, answer)
  }

  /** Asks for a call that writes float32 values to a file. */
  async askForFloats<Schema extends v.GenericSchema>(
    schema: Schema,
    request: object,
  ): Promise<{ answer: v.InferOutput<Schema>; values: Float32Array }> {
    const into = join(this.#folder, 'values')
    const answer = await this.ask(schema, { ...request, into })
    const { buffer, byteOffset, byteLength } = await readFile(into)
    rmSync(into)
    return { answer, values: new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)) }
  }

  dispose(): void {
    this.#reader.close()
    this.#child.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #answer(request: object): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`)
    const line: IteratorResult<string, unknown> = await this.#lines.next()
    if (line.done) throw new Error(await this.#ended)
    return JSON.parse(line.value) as unknown
  }
}

/** Name to display. */
export const nativeJaxName = (threads: number) => `JAX, ${threadsText(threads)}`

const threadsText = (threads: number) => (threads === 1 ? 'one thread' : `${threads} threads`)

/** All parameters one after the other, as float32. */
function writeWeights(path: string, { config, weights }: BenchModel): void {
  const file = openSync(path, 'w')
  try {
    for (const { name } of parameterShapes(config)) writeSync(file, weights.get(name)!)
  } finally {
    closeSync(file)
  }
}
