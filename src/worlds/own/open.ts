/** Opens a world of one's own for a run, in a worker that is ended if it does not answer. */
import { deadlined } from '../../threads/deadline.ts'
import type { Bridge } from '../../threads/worker-bridge.ts'
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld } from '../world.ts'
import { OwnWorldError } from './error.ts'
import type { OwnModule } from './module.ts'
import { ownFormats } from './roles/plain-roles.ts'
import type { OwnWorldService } from './service.ts'

/**
 * The sandbox stops single calls after two seconds. This is for a batch of a hundred slow ones, and for the unknown: nothing may
 * hold up a run for longer.
 */
const LONGEST_WAIT_MS = 120_000
const ANYTHING = { plain: null, instruct: null }

/** Throws OwnWorldError if the file is no world. */
export async function openOwn(module: OwnModule, startWorker: () => Bridge<OwnWorldService>): Promise<OpenedWorld> {
  const bridge = startWorker()
  const { remote, terminate } = deadlined(
    bridge,
    LONGEST_WAIT_MS,
    (method) =>
      new OwnWorldError(
        `${module.file} did not answer "${method}" within ${LONGEST_WAIT_MS / 1000} seconds and was stopped. ` +
          'Make its functions faster, or the group and the number of tasks smaller.',
      ),
  )
  try {
    const { name, rules, canRewrite } = await remote.load(module)
    return {
      environment: remote,
      formatsFor: (pieces) =>
        formatsFor(pieces, ownFormats, async () => {
          const { instructAuthor, instructPolicy, instructReward } = await import('./roles/instruct-roles.ts')
          return {
            policy: (policy) => instructPolicy(policy, rules),
            reward: (reward) => instructReward(reward, rules),
            author: instructAuthor,
          }
        }),
      grammars: () => Promise.resolve({ policy: ANYTHING, reward: ANYTHING, author: ANYTHING }),
      fixedTrajectories: () => Promise.resolve([]),
      worldFile: { name, ...module },
      canRewrite,
      close: terminate,
    }
  } catch (error) {
    terminate()
    throw error
  }
}
