/** Whether `--backend webgpu` finds a graphics adapter, also a software one. */
import { webGpuObstacleInNode } from '../../engines/backends/node-graphics.ts'
import { ArgumentError } from '../arguments.ts'

/** Before any thread asks for an adapter, because drivers can crash the process then. Throws ArgumentError. */
export async function checkAdapter(isResumed: boolean): Promise<void> {
  const obstacle = await webGpuObstacleInNode({ acceptsSoftware: true })
  if (obstacle === null) return
  const remedy = isResumed
    ? 'The run started with WebGPU, so continue it on a machine that has it'
    : 'Install or update the graphics driver, or use --backend cpu'
  throw new ArgumentError(`--backend webgpu: ${obstacle} ${remedy}.`)
}
