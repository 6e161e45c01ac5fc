/**
 * Rewrites as text, one line each, short enough for a tiny author to write:
 *
 *     set name lake.png      hint place          no hints        front Files      blank       show Pictures
 *     add 2                  remove lake.png     move tree.png to Archive         bury Rename       raise Rename
 */

/** What an author can do to a task. */
export type TaskRewrite =
  /** Asks for something else of the same kind: another name, folder, level… */
  | { kind: 'set'; parameter: string; value: string }
  /** Tells where the missing thing is. */
  | { kind: 'add-hint' }
  | { kind: 'remove-hints' }
  /** What is in front at the start. */
  | { kind: 'front'; app: string }
  | { kind: 'blank' }
  /** Which page an application shows at the start. */
  | { kind: 'show'; page: string }
  /** Adds files that nobody asks for. */
  | { kind: 'add-files'; count: number }
  | { kind: 'remove-file'; file: string }
  | { kind: 'move-file'; file: string; folder: string }
  /** Puts a button into the More menu, or takes it out. */
  | { kind: 'bury'; button: string }
  | { kind: 'raise'; button: string }

/** Files that one rewrite may add. */
export const MOST_FILES_ADDED = 4

const FORMS: readonly [RegExp, (...parts: string[]) => TaskRewrite][] = [
  [/^set ([a-z]+) (\S+(?: \S+)?)$/, (parameter, value) => ({ kind: 'set', parameter: parameter, value: value })],
  [/^hint place$/, () => ({ kind: 'add-hint' })],
  [/^no hints$/, () => ({ kind: 'remove-hints' })],
  [/^front (\w+)$/, (app) => ({ kind: 'front', app: app })],
  [/^blank$/, () => ({ kind: 'blank' })],
  [/^show (\w+)$/, (page) => ({ kind: 'show', page: page })],
  [/^add (\d{1,3})$/, (count) => ({ kind: 'add-files', count: Number(count) })],
  [/^remove ([a-z]+\.[a-z]+)$/, (file) => ({ kind: 'remove-file', file: file })],
  [/^move ([a-z]+\.[a-z]+) to (\w+)$/, (file, folder) => ({ kind: 'move-file', file: file, folder: folder })],
  [/^bury (\w+)$/, (button) => ({ kind: 'bury', button: button })],
  [/^raise (\w+)$/, (button) => ({ kind: 'raise', button: button })],
]

/** The rewrite that a line describes, whatever its spacing; null if it describes none. */
export function parseRewrite(text: string): TaskRewrite | null {
  const line = text.trim().replace(/\s+/g, ' ')
  for (const [form, build] of FORMS) {
    const match = form.exec(line)
    if (match) return build(...match.slice(1))
  }
  return null
}

export function formatRewrite(rewrite: TaskRewrite): string {
  switch (rewrite.kind) {
    case 'set':
      return `set ${rewrite.parameter} ${rewrite.value}`
    case 'add-hint':
      return 'hint place'
    case 'remove-hints':
      return 'no hints'
    case 'front':
      return `front ${rewrite.app}`
    case 'blank':
      return 'blank'
    case 'show':
      return `show ${rewrite.page}`
    case 'add-files':
      return `add ${rewrite.count}`
    case 'remove-file':
      return `remove ${rewrite.file}`
    case 'move-file':
      return `move ${rewrite.file} to ${rewrite.folder}`
    case 'bury':
    case 'raise':
      return `${rewrite.kind} ${rewrite.button}`
  }
}
