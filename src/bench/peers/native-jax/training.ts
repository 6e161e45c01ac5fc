/** The training step in JAX on the CPU. */
import * as v from 'valibot'
import { parameterShapes } from '../../../language-model/weights/parameters.ts'
import type { BenchModel, TokenBatch } from '../../bench-model.ts'
import type { Open, TrainingSubject } from '../../subjects.ts'
import { JaxProcess, type NativeJaxOptions } from './process.ts'
import { NativeJaxSubject } from './subject.ts'

const lossSchema = v.object({ loss: v.number() })

export function nativeJaxTraining(options: NativeJaxOptions): Open<TrainingSubject> {
  return async (model) => new NativeJaxTraining(model, await JaxProcess.start(model, options))
}

class NativeJaxTraining extends NativeJaxSubject implements TrainingSubject {
  readonly #model: BenchModel

  constructor(model: BenchModel, process: JaxProcess) {
    super(process)
    this.#model = model
  }

  async gradients(batch: TokenBatch) {
    const { answer, values } = await this.process.askForFloats(lossSchema, { call: 'gradients', ...rowsOf(batch) })
    const gradients = new Map<string, Float32Array>()
    let at = 0
    for (const { name, shape } of parameterShapes(this.#model.config)) {
      const size = shape.reduce((product, side) => product * side, 1)
      gradients.set(name, values.subarray(at, at + size))
      at += size
    }
    return { loss: answer.loss, gradients }
  }

  async step(batch: TokenBatch): Promise<number> {
    return (await this.process.ask(lossSchema, { call: 'step', ...rowsOf(batch) })).loss
  }
}

/** [sequences][length] */
function rowsOf({ sequences, length, tokens, targets }: TokenBatch) {
  const rows = (values: Int32Array) =>
    Array.from({ length: sequences }, (_, row) => Array.from(values.subarray(row * length, (row + 1) * length)))
  return { tokens: rows(tokens), targets: rows(targets) }
}
