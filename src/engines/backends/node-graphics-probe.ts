/** The process of node-graphics.ts: says what is in the way of WebGPU, and ends. */
import { provideGpuInNode } from '../../language-model/backends/node-gpu.ts'
import { webGpuObstacle } from './choice.ts'

await provideGpuInNode()
const gpu = (globalThis.navigator as Partial<Navigator> | undefined)?.gpu
const obstacle = gpu
  ? await webGpuObstacle(gpu)
  : 'Node has no WebGPU here: the npm package "webgpu" is not installed or does not start.'
process.send!(obstacle, () => process.exit())
