/** The process of adapter.ts: sends why there is no graphics adapter, or null, and exits. */
import { provideGpuInNode } from '../../language-model/backends/node-gpu.ts'

await provideGpuInNode()
const gpu = (globalThis.navigator as Partial<Navigator> | undefined)?.gpu
const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
const obstacle = gpu
  ? 'WebGPU offers no graphics adapter here.'
  : 'Node has no WebGPU here: the npm package "webgpu" is not installed or does not start.'
process.send!(adapter ? null : obstacle, () => process.exit())
