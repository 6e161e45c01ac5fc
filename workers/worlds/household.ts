/** Opens the household in the loop's worker, with the environment in a worker of its own. */
import { connectWorker } from '../../src/threads/worker-bridge.ts'
import { openHousehold } from '../../src/worlds/household/open.ts'
import type { OpenedWorld, WorldRequest } from '../../src/worlds/world.ts'
import type { EnvironmentWorker } from '../environment.ts'

export function open(request: WorldRequest): Promise<OpenedWorld> {
  return openHousehold(request, async () => {
    const { remote, terminate } = connectWorker<EnvironmentWorker>(
      new Worker(new URL('../environment.ts', import.meta.url), { type: 'module', name: 'environment' }),
      'environment',
    )
    try {
      await remote.open(request)
      return {
        environment: remote,
        fixedTrajectories: (text: string) => remote.fixedTrajectories(text),
        close: terminate,
      }
    } catch (error) {
      terminate()
      throw error
    }
  })
}
