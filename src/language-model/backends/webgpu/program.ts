import type { WebGPUProgram } from '@tensorflow/tfjs-backend-webgpu'

export interface ProgramParts {
  /** Names the pipeline in the cache: two programs with the same name have the same code. */
  name: string
  /** Input buffers by the name that the code knows them by, each with the number of 4-byte elements that it is read in at once. */
  inputs: Record<string, 1 | 4>
  /** Of the buffer `result`, likewise. */
  outputComponent: 1 | 4
  outputShape: number[]
  /** Names of whole numbers and, last, of `scale`, a fraction. */
  uniforms: readonly string[]
  threads: number
  workgroups: number
  /** WGSL with `fn main(index : i32)`, index being workgroup · threads + thread. */
  code: string
}

/** A program as TensorFlow.js runs it: one flat row of workgroups, which it folds into a square where the row is too long for the device. */
export function flatProgram(parts: ProgramParts): WebGPUProgram {
  return {
    shaderKey: parts.name,
    variableNames: Object.keys(parts.inputs),
    variableComponents: Object.values(parts.inputs),
    outputComponent: parts.outputComponent,
    outputShape: parts.outputShape,
    uniforms: parts.uniforms.map((name) => `${name} : ${name === 'scale' ? 'f32' : 'i32'}`).join(', '),
    dispatchLayout: { x: parts.outputShape.map((_, axis) => axis) },
    dispatch: [parts.workgroups, 1, 1],
    workgroupSize: [parts.threads, 1, 1],
    getUserCode: () => parts.code,
  }
}
