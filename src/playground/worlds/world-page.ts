/** What a world adds to the page. Its components and whatever is large are loaded when they are shown. */
import type { Component, ComponentProps } from 'svelte'
import type { EpisodeFinished, RewriteProposed } from '../../method/events.ts'
import type { Task } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import type { TellingEpisode } from '../../runs/telling-episode.ts'
import type { Links } from '../kit/math/links.svelte.ts'
import type { SymbolId } from '../run/equation.ts'
import type { ShownGroup } from '../run/run-spot.ts'
import type { Focus } from '../state/focus.svelte.ts'
import type { RoleModels } from '../state/role-models.svelte.ts'
import type { WorldShelf } from '../state/world-shelf.ts'

type Load<Props extends ComponentProps<Component>> = () => Promise<{ default: Component<Props> }>

export interface WorldPage {
  /** Also provides the shelf to the world's own components, so it is called while the page is created. */
  createShelf(): WorldShelf
  /** Whether a text file that begins with `head` has tasks of this world. */
  recognises(head: string): boolean
  /** Whether a dropped file belongs to this world by its path, whichever world is chosen. */
  claims?(path: string): boolean
  /** Whether an unknown text file counts as tasks while this world is chosen. Otherwise it counts as a run log. */
  takesUnknownText: boolean
  /** Chooses, imports and shows the tasks of the next run. */
  loadImports: Load<ImportsProps>
  /** Draws the rollouts of one task as a group; null to draw their steps. */
  loadGroup: Load<GroupProps> | null
  /** Draws one rollout as a scene; null where there is nothing to draw. */
  theatre: { about: string; load: Load<TheatreProps> } | null
  /** Draws the episode of the first screen. */
  loadPicture: Load<PictureProps>
  /** Height of that drawing over its width; null where it follows from the episode. */
  pictureShape: number | null
  loadTaskDetails(): Promise<TaskDetails>
}

export interface ImportsProps {
  /** On the controls. */
  settings: Settings
  /** Settings of the run in progress in this world. */
  running: Settings | undefined
  set: <Name extends keyof Settings>(name: Name, value: Settings[Name]) => void
  /** Which models play the next run. */
  models: Pick<RoleModels, 'result' | 'keys'>
}

export interface GroupProps {
  focus: Focus
  /** The task on show; a new object whenever it has changed. */
  shown: ShownGroup
  /** The equations whose numbers are those of the chosen program and test. */
  links: Links<SymbolId>
}

export interface TheatreProps {
  /** Reads the log with the tokens; null where the run comes without them. */
  exportLog: ((iteration: number) => Promise<{ file: Blob } | null>) | null
  focus: Focus
}

export interface PictureProps {
  run: RunView
  episode: EpisodeFinished
  /** The group that it is of; null for an episode by itself, which only a world of steps has. */
  telling: TellingEpisode | null
  /** How many steps have been played, or how many programs tested. */
  at: number
}

export interface TaskDetails {
  /** What a task asks for, and its tests where it has any. */
  textOf(task: Task): TaskText
  /** What a rewrite changed besides the text; null where the text says it all. */
  changeOf: ((before: Task, proposal: RewriteProposed, run: RunView) => TaskChange) | null
}

export interface TaskText {
  statement: string
  tests: readonly { input: string; output: string }[]
}

export interface TaskChange {
  label: string
  sentences: readonly string[]
  /** Where the sentences come from, if the log does not contain the task; else empty. */
  note: string
}
