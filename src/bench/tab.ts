/**
 * The suites in a tab: only our engine, on the CPU and, with a graphics adapter, on WebGPU. The page does not ship peers;
 * `npm run bench` measures beside them, with more repetitions and sizes.
 */
import { BACKENDS } from '../language-model/backends/backend.ts'
import { webGpuObstacle } from '../engines/backends/choice.ts'
import type { Role } from '../method/ports.ts'
import type { ModelReader } from '../language-model/files/model-folder.ts'
import type { JudgeSuiteOptions } from './judge.ts'
import type { Machine, MachineBackend } from './machine.ts'
import { wallClock } from './repetitions.ts'
import type { Measurement, Suite, SuiteName } from './suite.ts'
import { errorText } from '../threads/error-text.ts'

const ROUNDS = 2
const TIMING = { clock: wallClock, repetitions: 3, durationMs: 200 }
const KERNEL_MS = 50
/** Side of the matrices whose product measures the peak. */
const PEAK = 1024

export interface BenchServiceOptions {
  /** Reads a shipped model. */
  readModel(role: Role): ModelReader
  startJudge: JudgeSuiteOptions['startJudge']
}

export class BenchService {
  readonly #options: BenchServiceOptions

  constructor(options: BenchServiceOptions) {
    this.#options = options
  }

  async machine(): Promise<Machine> {
    const { selectBackend } = await import('../language-model/backends/select-backend.ts')
    const backends: MachineBackend[] = []
    for (const name of BACKENDS) {
      const obstacle = name === 'webgpu' ? await webGpuObstacle((navigator as Partial<Navigator>).gpu) : null
      if (obstacle !== null) {
        backends.push({ name, isMeasured: false, about: obstacle })
        continue
      }
      try {
        const { description } = await selectBackend(name)
        backends.push({ name, isMeasured: true, about: description })
      } catch (error) {
        backends.push({ name, isMeasured: false, about: errorText(error) })
      }
    }
    return { userAgent: navigator.userAgent, cores: navigator.hardwareConcurrency, backends }
  }

  /** Resolves when the last report has arrived. */
  async run(
    name: SuiteName,
    report: (measurement: Measurement) => void,
    progress: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const reports: unknown[] = []
    const suite = await this.#open(name)
    await suite.run({
      report: (measurement) => void reports.push(report(measurement)),
      progress: (text) => void reports.push(progress(text)),
      ...(signal && { signal }),
    })
    await Promise.all(reports)
  }

  async #open(name: SuiteName): Promise<Suite> {
    if (name === 'environment') {
      const { environmentSuite } = await import('./environment.ts')
      return environmentSuite({ ...TIMING, games: 64 })
    }
    if (name === 'judge') {
      const { judgeSuite } = await import('./judge.ts')
      return judgeSuite({ ...TIMING, startJudge: this.#options.startJudge })
    }
    const { REFERENCE_SHAPE } = await import('./bench-model.ts')
    const common = { place: browserName(navigator.userAgent), clock: () => wallClock.now(), rounds: ROUNDS }
    if (name === 'loop') {
      const { loopSuite } = await import('./loop.ts')
      const sizes = {
        settings: {},
        codingSettings: {},
        growthSettings: { tasksPerIteration: 1, groupSize: 4, evaluationsPerStep: 2 },
        groupSizes: [2, 4, 8],
        evaluationsPerStep: [1, 2, 4],
      }
      return loopSuite({ ...common, sizes, stock: [], readModel: (_, role) => this.#options.readModel(role) })
    }
    const devices = (await this.machine()).backends.flatMap((backend) => (backend.isMeasured ? [backend.name] : []))
    const shapes = [64, 128].map((hiddenSize) => ({
      ...REFERENCE_SHAPE,
      hiddenSize,
      intermediateSize: (REFERENCE_SHAPE.intermediateSize * hiddenSize) / REFERENCE_SHAPE.hiddenSize,
    }))
    if (name === 'train') {
      const [{ trainSuite }, { ownTraining }] = await Promise.all([import('./train.ts'), import('./own-training.ts')])
      return trainSuite({
        ...common,
        kernelMs: KERNEL_MS,
        fields: devices.map((device) => ({ device, own: ownTraining(device), peers: [] })),
        sizes: {
          reference: { shape: REFERENCE_SHAPE, sequences: 16, length: 256 },
          growth: { shapes, sequences: [4, 8, 16], lengths: [128, 256, 512, 1024] },
          peak: PEAK,
        },
      })
    }
    const [{ generateSuite }, { ownGeneration }] = await Promise.all([
      import('./generate.ts'),
      import('./own-generation.ts'),
    ])
    return generateSuite({
      ...common,
      fields: devices.map((device) => ({ device, own: ownGeneration(device), peers: [] })),
      sizes: {
        reference: { shape: REFERENCE_SHAPE, prompts: 64, promptLength: 128, sampled: 128 },
        growth: {
          shapes,
          base: { prompts: 16, promptLength: 128, completions: 1, sampled: 32 },
          prompts: [4, 16, 64],
          promptLengths: [128, 256, 512],
          groups: [1, 4, 16],
          evaluations: [1, 2, 4],
        },
        peak: PEAK,
      },
    })
  }
}

/** Browsers also name older ones, so the first match decides: "Edge 140". */
const BROWSERS: readonly [name: string, version: RegExp][] = [
  ['Edge', /\bEdg\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\bFirefox\/(\d+)/],
  ['Chrome', /\b(?:Headless)?Chrome\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
]

export function browserName(userAgent: string): string {
  for (const [name, version] of BROWSERS) {
    const [, number] = version.exec(userAgent) ?? []
    if (number !== undefined) return `${name} ${number}`
  }
  return 'a browser'
}
