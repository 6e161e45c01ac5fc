/** Opens the desktop for a run. Its engine is fast enough for the loop's own thread: a step takes some microseconds. */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld, WorldRequest } from '../world.ts'
import { DesktopEnvironment } from './environment.ts'
import { desktopTrajectories } from './fixed-trajectories.ts'
import { desktopFormats } from './roles/plain-roles.ts'
import type { ScreenText } from './scene/screen-text.ts'

/** A role was given to a model that cannot read the screen as the run shows it. */
export class ScreenTextError extends Error {
  override readonly name = 'ScreenTextError'
  /** For display, each a sentence. */
  readonly what = 'The models of this run cannot read its screen.'
  readonly why: string
  readonly remedy: string

  constructor(screen: ScreenText) {
    const isPicture = screen === 'pixels'
    const why = isPicture
      ? 'The run shows its models the screen as pictures, which only chat models on an OpenAI-compatible server can see.'
      : `The run shows its models the screen as ${screen}, which only chat models can read.`
    const remedy = isPicture
      ? 'Give the policy and the reward model to such models, or set the screen to marks or text.'
      : 'Give the policy and the reward model to chat models, or set the screen to text.'
    super(`${why} ${remedy}`)
    this.why = why
    this.remedy = remedy
  }
}

/** Whether a model that is addressed so can read the screen. */
const canRead = (pieces: ChatPieces | null, screen: ScreenText) =>
  screen === 'text' || (pieces !== null && (screen !== 'pixels' || pieces.seesPictures === true))

const ANYTHING = { plain: null, instruct: null }

export function openDesktop({ settings: { screen } }: WorldRequest): OpenedWorld {
  return {
    environment: new DesktopEnvironment({ screen }),
    /** Rejects with ScreenTextError. */
    async formatsFor(pieces) {
      if (!canRead(pieces.policy, screen) || !canRead(pieces.reward, screen)) throw new ScreenTextError(screen)
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
