/** Opens the desktop for a run. Its engine is fast enough for the loop's own thread: a step takes some microseconds. */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld, WorldRequest } from '../world.ts'
import type { DesktopGame } from './engine/game.ts'
import { DesktopEnvironment } from './environment.ts'
import { desktopTrajectories } from './fixed-trajectories.ts'
import { NoTasksError, ownTasks } from './own/own-tasks.ts'
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

async function listedOwn(
  listOwn: (() => Promise<readonly DesktopGame[]>) | null,
  isResumed: boolean,
): Promise<readonly DesktopGame[]> {
  const games = listOwn === null ? [] : await listOwn()
  // A run that is resumed has drawn its tasks.
  if (games.length === 0 && !isResumed)
    throw new NoTasksError(
      listOwn === null
        ? 'The run trains on tasks that are made on the page. Run it there, or set desktopTasks to generated.'
        : 'The run trains on tasks of your own, and this browser has none.',
    )
  return games
}

const ANYTHING = { plain: null, instruct: null }

/** `listOwn` gives the tasks that a person made; null where there can be none. Rejects with NoTasksError. */
export async function openDesktop(
  { settings: { screen, desktopTasks }, isResumed }: WorldRequest,
  listOwn: (() => Promise<readonly DesktopGame[]>) | null,
): Promise<OpenedWorld> {
  return {
    environment: new DesktopEnvironment({
      screen,
      ...(desktopTasks === 'own' && { tasks: ownTasks(await listedOwn(listOwn, isResumed)) }),
    }),
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
