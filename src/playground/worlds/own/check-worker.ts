/** Opens the worker that reads and checks the file of a world. It ends with the check. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { OwnCheckWorker } from '../../../../workers/own-check.ts'

export type OpenChecker = () => Bridge<OwnCheckWorker>

export const openCheckWorker: OpenChecker = () =>
  connectWorker<OwnCheckWorker>(
    new Worker(new URL('../../../../workers/own-check.ts', import.meta.url), { type: 'module', name: 'own-check' }),
    'own-check',
  )
