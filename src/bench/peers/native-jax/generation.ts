/** Greedy decoding in JAX on the CPU: one compiled loop, with keys and values of a fixed size. */
import * as v from 'valibot'
import type { GenerationSubject, Open } from '../../subjects.ts'
import { JaxProcess, type NativeJaxOptions } from './process.ts'
import { NativeJaxSubject } from './subject.ts'

const tokensSchema = v.object({ tokens: v.array(v.array(v.number())) })

export function nativeJaxGeneration(options: NativeJaxOptions): Open<GenerationSubject> {
  return async (model) => new NativeJaxGeneration(await JaxProcess.start(model, options))
}

class NativeJaxGeneration extends NativeJaxSubject implements GenerationSubject {
  async logits(prompts: readonly Int32Array[]): Promise<Float32Array> {
    const request = { call: 'logits', prompts: prompts.map((prompt) => Array.from(prompt)) }
    return (await this.process.askForFloats(v.object({}), request)).values
  }

  async generate(prompts: readonly Int32Array[], count: number): Promise<Int32Array[]> {
    const request = { call: 'generate', prompts: prompts.map((prompt) => Array.from(prompt)), count }
    const { tokens } = await this.process.ask(tokensSchema, request)
    return tokens.map((row) => Int32Array.from(row))
  }
}
