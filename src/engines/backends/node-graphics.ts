/**
 * Whether Node can use WebGPU. Checks in a separate process, because graphics drivers print messages, can crash the process, and
 * can keep it alive afterwards.
 */
import { fork } from 'node:child_process'

/** Why WebGPU cannot be used here; null if it can be tried. */
export function webGpuObstacleInNode(): Promise<string | null> {
  const probe = fork(new URL('./node-graphics-probe.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    probe.once('message', (obstacle) => resolve(obstacle as string | null))
    probe.once('error', reject)
    // Has no effect after a message.
    probe.once('exit', (code, signal) =>
      resolve(`The graphics driver ended the process that asked it for an adapter (${signal ?? `exit code ${code}`}).`),
    )
  })
}
