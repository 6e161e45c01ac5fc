/** What the loop calls in a run: its models and their formats, its world, and the clock. */
import type { LoopPorts } from '../method/loop-contract.ts'
import type { OpenedWorld } from '../worlds/world.ts'
import type { Players } from './open-players.ts'

export function loopPorts(
  { policy, reward, author, formats }: Players,
  { environment, unitTests }: Pick<OpenedWorld, 'environment' | 'unitTests'>,
): LoopPorts {
  return { policy, reward, author, formats, environment, ...(unitTests && { unitTests }), now: () => performance.now() }
}
