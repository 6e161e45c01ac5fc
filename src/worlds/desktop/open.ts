/** Opens the desktop for a run. Its engine is fast enough for the loop's own thread: a step takes some microseconds. */
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld, WorldRequest } from '../world.ts'
import { DesktopEnvironment } from './environment.ts'
import { desktopTrajectories } from './fixed-trajectories.ts'
import { desktopFormats } from './roles/plain-roles.ts'

/** A model that continues plain text was given a role whose prompts contain the list or the table of the screen. */
export class ScreenTextError extends Error {
  constructor(screen: string) {
    super(
      `The run shows its models the screen as ${screen}, which only chat models can read. ` +
        'Give the policy and the reward model to chat models, or set the screen to text.',
    )
    this.name = 'ScreenTextError'
  }
}

const ANYTHING = { plain: null, instruct: null }

export function openDesktop({ settings: { screen } }: WorldRequest): OpenedWorld {
  return {
    environment: new DesktopEnvironment({ screen }),
    /** Rejects with ScreenTextError. */
    async formatsFor(pieces) {
      if (screen !== 'text' && (pieces.policy === null || pieces.reward === null)) throw new ScreenTextError(screen)
      return formatsFor(pieces, desktopFormats, async () => {
        const { instructAuthor, instructPolicy, instructReward } = await import('./roles/instruct-roles.ts')
        return { policy: (policy) => instructPolicy(policy, screen), reward: instructReward, author: instructAuthor }
      })
    },
    grammars: () => Promise.resolve({ policy: ANYTHING, reward: ANYTHING, author: ANYTHING }),
    // They were recorded as text.
    fixedTrajectories: async (text) => (screen === 'text' ? desktopTrajectories(text) : []),
    close() {},
  }
}
