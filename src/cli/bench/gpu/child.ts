/** Measures in a child process, through Dawn for Node. */
import { fork } from 'node:child_process'
import type { GpuMessage } from '../../../bench/gpu/messages.ts'
import { carried, withLibraries } from './carried.ts'
import { endedByItself, type StartMeasurer } from './measurer.ts'

export const startChild: StartMeasurer = ({ totalMs, isTiny }, { message, ended }) => {
  const child = fork(carried('run.mjs'), ['--measure', String(totalMs), ...(isTiny ? ['--tiny'] : [])], {
    // Browsers have had relaxed SIMD since 2023, Node by default since 21.
    execArgv: process.versions.node.startsWith('20.') ? ['--experimental-wasm-relaxed-simd'] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // JSON has no Infinity, which is the difference of a result that is not finite.
    serialization: 'advanced',
    env: withLibraries(process.env),
  })
  child.on('message', (sent) => message(sent as GpuMessage))
  child.on('error', (error) => ended(error.message))
  child.on('exit', (code, signal) => ended(endedByItself('The process that measured', code, signal)))
  return {
    stop: () => void child.kill('SIGKILL'),
    name: () => `Node ${process.versions.node.split('.').slice(0, 2).join('.')}`,
  }
}
