/** Replays an episode on its desktop: what was on the screen before and after each command. */
import type { EpisodeFinished } from '../../../method/events.ts'
import type { Settings } from '../../../method/settings.ts'
import { parseCommand } from '../../../worlds/desktop/engine/commands.ts'
import { cloneState, startGame } from '../../../worlds/desktop/engine/state.ts'
import { clicked, stepIn } from '../../../worlds/desktop/scene/dialects.ts'
import type { Rectangle } from '../../../worlds/desktop/scene/scene.ts'
import { DIALECT_OF, screenText } from '../../../worlds/desktop/scene/screen-text.ts'
import type { Replay } from '../theatre/replay.ts'
import type { PlayedTask } from './played-task.ts'
import { screenView, type ScreenView } from './screen-view.ts'

export interface ScreenMoment {
  view: ScreenView
  /** Where the pointer is; null before the first click. */
  pointer: Rectangle | null
  /** Whether the command that led here was a click. */
  isClick: boolean
  /** What the command that led here typed; '' for another one. */
  typed: string
  /** The answer to the command that led here, or the task. */
  said: string
}

export function replay(
  { game }: PlayedTask,
  { steps }: Pick<EpisodeFinished, 'steps'>,
  { screen }: Pick<Settings, 'screen'>,
): Replay<ScreenMoment> {
  // The episode says where it ended: an evaluation may allow more steps than training does.
  const state = startGame(game, { stepLimit: Infinity })
  const moments: ScreenMoment[] = [
    { view: screenView(state), pointer: null, isClick: false, typed: '', said: game.instruction },
  ]
  const differences: number[] = []
  steps.forEach(({ command, observation }, index) => {
    const touched = clicked(state, command, DIALECT_OF[screen])
    const parsed = parseCommand(command)
    const said = stepIn(state, command, DIALECT_OF[screen]).observation
    if (screenText(state, said, screen).trim() !== observation.trim()) differences.push(index)
    moments.push({
      view: screenView(cloneState(state)),
      pointer: touched?.place ?? moments[index]!.pointer,
      isClick: touched !== null,
      typed: parsed?.verb === 'type' ? parsed.text : '',
      said,
    })
  })
  return { moments, differences }
}

/** What is in front, for the rollouts beside each other. */
export const placeOf = ({ view }: ScreenMoment): string =>
  view.title === '' ? 'empty screen' : view.hasDialog ? `${view.title}, dialog` : view.title
