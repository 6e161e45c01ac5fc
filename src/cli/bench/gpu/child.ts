/** Measures in a child process, through Dawn for Node. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { SOFTWARE_DAWN_OPTION } from '../../../../scripts/launch-flags.mjs'
import { GpuService } from '../../../bench/gpu/gpu-service.ts'
import type { GpuMessage } from '../../../bench/gpu/messages.ts'
import { provideGpuInNode } from '../../../language-model/backends/node-gpu.ts'
import { folderReader } from '../../../language-model/files/folder-reader.ts'
import { shippedModel } from '../../../roles/shipped-models.ts'
import { errorText } from '../../../threads/error-text.ts'
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

/** In the child: sends its records to the parent, which ends it. */
export async function measure(totalMs: number, isTiny: boolean): Promise<void> {
  const models = carried('models')
  const service = new GpuService((role) => folderReader(join(models, shippedModel('household', role))))
  // The smallest sizes are for a software adapter.
  if (isTiny) await provideGpuInNode([SOFTWARE_DAWN_OPTION])
  try {
    await service.measure(totalMs, isTiny, (record) => void process.send!(record))
  } catch (error) {
    process.send!({ kind: 'error', message: errorText(error) })
  }
}
