/** The process of node-graphics.ts: prints why WebGPU cannot be used, and exits. */
import { provideGpuInNode } from '../../language-model/backends/node-gpu.ts'
import { webGpuObstacle } from './choice.ts'

await provideGpuInNode()
const gpu = (globalThis.navigator as Partial<Navigator> | undefined)?.gpu
const obstacle = gpu
  ? await webGpuObstacle(gpu)
  : 'Node has no WebGPU here: the npm package "webgpu" is not installed or does not start.'
process.send!(obstacle, () => process.exit())
