/**
 * Applies rewrites to tasks if they are valid. A rewrite is refused unless what it names exists, it changes something, and leaves a
 * task of the same kind that is unsolved at the start and that an expert with an agent's knowledge solves within the step limit. What
 * is feasible stays feasible: a rewrite changes parameters, places and looks, never what the applications can do.
 */
import { APPS, BROWSER, FILES, type FileFact } from '../engine/facts.ts'
import type { DesktopGame } from '../engine/game.ts'
import { BUTTONS, buttonWord, NESTABLE, type Button } from '../engine/layout.ts'
import { pageNames } from '../engine/elements.ts'
import { defaultStepLimit, startGame, withAt } from '../engine/state.ts'
import { isPlayable } from '../generator/generate-task.ts'
import { isHeldOutPair, isOnlyInId, isUnseen } from '../generator/splits.ts'
import { composeGame, templateNamed, type GameBase } from '../generator/templates.ts'
import { ENDINGS, NOUNS } from '../generator/words.ts'
import { hashOf, pick, seededRandom, shuffled } from '../../random.ts'
import type { DesktopTask } from '../task.ts'
import { formatRewrite, MOST_FILES_ADDED, type TaskRewrite } from './language.ts'

type RewriteRefusal =
  /** It names something that is not on the desktop, or a parameter that the task does not have. */
  | 'unknown-name'
  /** The value has no meaning, or asks for what is already so. */
  | 'no-meaning'
  | 'no-change'
  /** The task is about the file to remove. */
  | 'needed'
  /** There is nothing to hint at. */
  | 'irrelevant'
  | 'out-of-range'
  /** The task, its pair of object and target, or the layout is reserved for measuring generalisation. */
  | 'held-out'
  /** The goal would be met at the start, could not be met, or not by the expert within the step limit. */
  | 'unplayable'

type Refusal = { ok: false; reason: RewriteRefusal; message: string }
type RewriteOutcome = { ok: true; task: DesktopTask; message: string } | Refusal

/** Files that a desktop has at most. */
const MOST_FILES = 9

export interface RewriteOptions {
  stepLimit?: number
  /**
   * Whether a training task may become one that only `id` has; false by default. Older logs have such rewrites, and so have the
   * demonstrations that the shipped author learned from.
   */
  allowsIdTasks?: boolean
}

export function applyRewrite(
  task: DesktopTask,
  rewrite: TaskRewrite,
  newId: string,
  { stepLimit = defaultStepLimit, allowsIdTasks = false }: RewriteOptions = {},
): RewriteOutcome {
  const changed = change(task.game, rewrite, newId)
  if ('reason' in changed) return changed
  const game = composeGame(changed)
  if (!game) return refuse('no-meaning', 'The task would ask for nothing, or for what is already so.')
  if (rewrite.kind === 'add-hint' && !game.isHinted)
    return refuse('irrelevant', 'The task says all that there is to say.')
  const { split } = game.origin
  if (split !== 'ood') {
    const [object, target] = game.pair
    const { template } = game.wish
    const isOnlyElsewhere =
      templateNamed(template).isOodTemplate ||
      isHeldOutPair(object, target) ||
      (split === 'train' && !allowsIdTasks && isOnlyInId(game.layout, template, object, target))
    if (isOnlyElsewhere) return refuse('held-out', `${object} with ${target} is kept for measuring generalisation.`)
    if (isUnseen(game.layout)) return refuse('held-out', 'This layout is kept for measuring generalisation.')
  }
  if (!isPlayable(game, seededRandom('playable', newId), stepLimit)) {
    return refuse('unplayable', `The task would be over at once, or not be solved in ${stepLimit} steps.`)
  }
  const { rootId, rewrites } = task
  return {
    ok: true,
    task: { id: newId, rootId, game, rewrites: [...rewrites, rewrite] },
    message: `Applied: ${formatRewrite(rewrite)}.`,
  }
}

function refuse(reason: RewriteRefusal, message: string): Refusal {
  return { ok: false, reason, message }
}

const unknown = (name: string): Refusal => refuse('unknown-name', `There is no ${name} here.`)

/** The parts of the game with the rewrite, or why it is refused. */
function change(game: DesktopGame, rewrite: TaskRewrite, id: string): GameBase | Refusal {
  const base: GameBase = { ...game, id }
  switch (rewrite.kind) {
    case 'set':
      return setParameter(base, rewrite.parameter, rewrite.value)
    case 'add-hint':
      return game.isHinted ? refuse('no-change', 'The hint is given already.') : { ...base, isHinted: true }
    case 'remove-hints':
      return game.isHinted ? { ...base, isHinted: false } : refuse('no-change', 'There are no hints to remove.')
    case 'front': {
      const front = APPS.findIndex((name) => name === rewrite.app)
      if (front < 0) return unknown(rewrite.app)
      return front === game.front ? refuse('no-change', `${rewrite.app} is in front already.`) : { ...base, front }
    }
    case 'blank':
      return game.front < 0 ? refuse('no-change', 'Nothing is in front already.') : { ...base, front: -1 }
    case 'show':
      return showFirst(base, rewrite.page)
    case 'add-files':
      return addFiles(base, rewrite.count)
    case 'remove-file':
      return removeFile(base, rewrite.file)
    case 'move-file':
      return moveFile(base, rewrite.file, rewrite.folder)
    case 'bury':
    case 'raise':
      return nest(base, rewrite.button, rewrite.kind === 'bury')
  }
}

function setParameter(base: GameBase, parameter: string, value: string): GameBase | Refusal {
  const template = templateNamed(base.wish.template)
  if (!template.settable.includes(parameter)) return unknown(parameter)
  const wish = template.set({ desktop: base.desktop, facts: base.start }, base.wish, parameter, value)
  if (!wish) return refuse('no-meaning', `${value} is no ${parameter} for this task.`)
  const isSame = JSON.stringify(wish) === JSON.stringify(base.wish)
  return isSame ? refuse('no-change', `The ${parameter} is ${value} already.`) : { ...base, wish }
}

function showFirst(base: GameBase, name: string): GameBase | Refusal {
  const game = composeGame({ ...base, front: -1 })
  if (!game) return refuse('no-meaning', 'The task has no start.')
  const state = startGame(game)
  for (let app = FILES; app < BROWSER; app++) {
    const page = pageNames(state, app).indexOf(name)
    if (page < 0) continue
    if (base.pages[app] === page) return refuse('no-change', `${name} is in view already.`)
    return { ...base, pages: withAt(base.pages, app, page) }
  }
  return unknown(name)
}

const withFiles = (base: GameBase, files: readonly FileFact[]): GameBase => ({
  ...base,
  start: { ...base.start, files },
})

function addFiles(base: GameBase, count: number): GameBase | Refusal {
  if (count < 1 || count > MOST_FILES_ADDED)
    return refuse('out-of-range', `Add 1 to ${MOST_FILES_ADDED} files at once.`)
  const { files, folders } = base.start
  if (files.length + count > MOST_FILES) return refuse('out-of-range', `A desktop has at most ${MOST_FILES} files.`)
  const random = seededRandom('files added', hashOf(base.id))
  const { recentFiles, mails } = base.desktop
  const asked = Object.values(base.wish.parameters).map(String)
  const taken = [...files.map(({ name }) => name), ...recentFiles, ...mails.map(({ file }) => file), ...asked]
  const isFree = (noun: string) => !taken.some((name) => name.startsWith(`${noun}.`))
  const added = shuffled(random, NOUNS.filter(isFree))
    .slice(0, count)
    .map((noun, index): FileFact => ({
      content: Math.max(-1, ...files.map(({ content }) => content)) + 1 + index,
      name: `${noun}.${pick(random, ENDINGS)}`,
      folder: pick(random, [...folders.keys()]),
      isTrashed: false,
      isMade: false,
    }))
  return withFiles(base, [...files, ...added])
}

function isAskedFor(base: GameBase, { content, name }: FileFact): boolean {
  const { file } = base.wish.parameters
  const isFileTask = templateNamed(base.wish.template).domain === 'files'
  return (isFileTask && file === content) || composeGame(base)?.instruction.includes(name) === true
}

function removeFile(base: GameBase, name: string): GameBase | Refusal {
  const file = base.start.files.find((other) => other.name === name)
  if (!file) return unknown(name)
  if (isAskedFor(base, file)) return refuse('needed', `The task asks for ${name}.`)
  return withFiles(
    base,
    base.start.files.filter((other) => other !== file),
  )
}

function moveFile(base: GameBase, name: string, folderName: string): GameBase | Refusal {
  const file = base.start.files.find((other) => other.name === name && !other.isTrashed)
  const folder = base.start.folders.indexOf(folderName)
  if (!file) return unknown(name)
  if (folder < 0) return unknown(folderName)
  if (file.folder === folder) return refuse('no-change', `${name} is in ${folderName} already.`)
  return withFiles(
    base,
    base.start.files.map((other) => (other === file ? { ...file, folder } : other)),
  )
}

function nest(base: GameBase, word: string, isBuried: boolean): GameBase | Refusal {
  const { layout } = base
  const all: readonly Button[] = [...new Set(Object.values(BUTTONS).flat())]
  const button = all.find((other) => buttonWord(layout, other) === word)
  if (!button) return unknown(word)
  if (!NESTABLE.includes(button)) return refuse('no-meaning', `${word} cannot be in a menu.`)
  if (layout.nested.includes(button) === isBuried) {
    return refuse('no-change', `${word} is ${isBuried ? 'in' : 'out of'} the menu already.`)
  }
  const nested = isBuried ? [...layout.nested, button] : layout.nested.filter((other) => other !== button)
  return { ...base, layout: { ...layout, nested } }
}
