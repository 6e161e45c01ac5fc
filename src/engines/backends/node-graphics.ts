/**
 * Whether Node can use WebGPU. Checks in a separate process, because graphics drivers print messages, can crash or hang the process,
 * and can keep it alive afterwards.
 */
import { fork } from 'node:child_process'

const LONGEST_MS = 20_000

export const ACCEPTS_SOFTWARE = '--accepts-software'

/** Why WebGPU cannot be used here; null if it can be tried. `program` is the process that asks for an adapter. */
export function webGpuObstacleInNode({
  acceptsSoftware = false,
  program = new URL('./node-graphics-probe.ts', import.meta.url),
  longestMs = LONGEST_MS,
} = {}): Promise<string | null> {
  const probe = fork(program, acceptsSoftware ? [ACCEPTS_SOFTWARE] : [], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const answer = new Promise<string | null>((resolve, reject) => {
    probe.once('message', (obstacle) => resolve(obstacle as string | null))
    probe.once('error', reject)
    // Has no effect after a message.
    probe.once('exit', (code, signal) =>
      resolve(`The graphics driver ended the process that asked it for an adapter (${signal ?? `exit code ${code}`}).`),
    )
    timer = setTimeout(
      () => resolve(`The graphics driver did not answer within ${longestMs / 1000} seconds, so it is not used.`),
      longestMs,
    )
  })
  return answer.finally(() => {
    clearTimeout(timer)
    probe.kill('SIGKILL')
  })
}
