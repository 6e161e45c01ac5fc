/**
 * The valid rewrites of a task that make it harder or easier, for demonstrations of the author. The number of commands that the expert
 * needs, searching included, decides the direction.
 */
import type { Direction } from '../../../method/ports.ts'
import { seededRandom } from '../../random.ts'
import { APPS } from '../engine/facts.ts'
import type { DesktopGame } from '../engine/game.ts'
import { pageNames } from '../engine/elements.ts'
import { buttonWord, NESTABLE } from '../engine/layout.ts'
import { defaultStepLimit, startGame } from '../engine/state.ts'
import { BOOKMARK_FOLDERS, NEW_FOLDERS, PEOPLE, REPLIES } from '../generator/words.ts'
import { distanceToGoal } from '../planning/distance.ts'
import { playExpert } from '../planning/expert.ts'
import { templateNamed } from '../generator/templates.ts'
import type { DesktopTask } from '../task.ts'
import { applyRewrite, type RewriteOptions } from './apply.ts'
import type { TaskRewrite } from './language.ts'

const SAMPLES = 3

/** Mean number of commands that the expert needs when it knows only what the task says. */
export function expertLength({ game }: DesktopTask): number {
  // Nothing has to be looked for, so the expert takes a shortest way.
  if (game.missing.length === 0) return distanceToGoal(startGame(game))
  let total = 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    const random = seededRandom('expert length', sample)
    total += playExpert(game, random, { stepLimit: 3 * defaultStepLimit }).commands.length
  }
  return total / SAMPLES
}

/** All valid rewrites of a task in a direction. Files that nobody asks for count as harder: there is more to read. */
export function possibleRewrites(task: DesktopTask, direction: Direction, options?: RewriteOptions): TaskRewrite[] {
  const length = expertLength(task)
  return candidateRewrites(task).filter((rewrite) => {
    const outcome = applyRewrite(task, rewrite, `${task.id}/candidate`, options)
    if (!outcome.ok) return false
    if (rewrite.kind === 'add-files') return direction === 'harder'
    if (rewrite.kind === 'remove-file') return direction === 'easier'
    const change = expertLength(outcome.task) - length
    return direction === 'harder' ? change > 0 : change < 0
  })
}

function candidateRewrites({ game }: DesktopTask): TaskRewrite[] {
  const { start, layout, wish } = game
  const state = startGame(game)
  const pages = [0, 1, 2, 3, 4].flatMap((app) => pageNames(state, app).filter((name) => name !== ''))
  const files = start.files.filter(({ isTrashed }) => !isTrashed).map(({ name }) => name)
  const folders = start.folders.flatMap((folder) => (folder === null ? [] : [folder]))
  return [
    ...valuesOf(game).flatMap((value) =>
      templateNamed(wish.template).settable.map((parameter): TaskRewrite => ({ kind: 'set', parameter, value })),
    ),
    { kind: 'add-hint' },
    { kind: 'remove-hints' },
    { kind: 'blank' },
    ...APPS.map((app): TaskRewrite => ({ kind: 'front', app })),
    ...pages.map((page): TaskRewrite => ({ kind: 'show', page })),
    ...[1, 2, 3].map((count): TaskRewrite => ({ kind: 'add-files', count })),
    ...files.map((file): TaskRewrite => ({ kind: 'remove-file', file })),
    ...files.flatMap((file) => folders.map((folder): TaskRewrite => ({ kind: 'move-file', file, folder }))),
    ...NESTABLE.map((button): TaskRewrite => {
      const kind = layout.nested.includes(button) ? 'raise' : 'bury'
      return { kind, button: buttonWord(layout, button) }
    }),
  ]
}

/** Values that some parameter may have. */
export function valuesOf({ desktop, start }: DesktopGame): string[] {
  return [
    ...start.folders.flatMap((folder) => (folder === null ? [] : [folder])),
    ...desktop.tables.flatMap(({ headers }) => headers),
    ...desktop.boxes,
    ...desktop.recentFiles,
    ...desktop.controls.flatMap(({ options }) => options),
    ...NEW_FOLDERS,
    ...BOOKMARK_FOLDERS,
    ...PEOPLE,
    ...REPLIES,
    ...['up', 'down', 'bold', 'heading', 'centred'],
    ...Array.from({ length: 11 }, (_, level) => String(level * 10)),
  ]
}
