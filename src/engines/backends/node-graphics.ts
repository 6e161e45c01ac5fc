/**
 * Whether Node has WebGPU worth a try. It is asked in a process of its own: graphics drivers print what they like, can
 * take a process down with them, and keep it alive afterwards.
 */
import { fork } from 'node:child_process'

/** Why WebGPU is out of the question here; null where it is worth a try. */
export function webGpuObstacleInNode(): Promise<string | null> {
  const probe = fork(new URL('./node-graphics-probe.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    probe.once('message', (obstacle) => resolve(obstacle as string | null))
    probe.once('error', reject)
    // After a message this comes too late to count.
    probe.once('exit', (code, signal) =>
      resolve(`The graphics driver ended the process that asked it for an adapter (${signal ?? `exit code ${code}`}).`),
    )
  })
}
