/** The process of node-graphics.ts: sends why WebGPU cannot be used, or null, and exits. */
import { provideGpuInNode } from '../../language-model/backends/node-gpu.ts'
import { webGpuObstacle } from './choice.ts'
import { ACCEPTS_SOFTWARE } from './node-graphics.ts'

await provideGpuInNode()
const gpu = (globalThis.navigator as Partial<Navigator> | undefined)?.gpu
const obstacle = gpu
  ? await webGpuObstacle(gpu, { acceptsSoftware: process.argv.includes(ACCEPTS_SOFTWARE) })
  : 'Node has no WebGPU here: the npm package "webgpu" is not installed or does not start.'
process.send!(obstacle, () => process.exit())
