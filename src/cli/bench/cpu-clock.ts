import type { Clock } from '../../bench/repetitions.ts'

/** CPU time of all threads of the process, including the garbage collector's. */
export const cpuClock: Clock = {
  name: 'CPU time',
  now() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}
