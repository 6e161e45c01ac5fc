/**
 * What an agent can write:
 *
 *     click NAME    open NAME    type WORDS    key ctrl s    scroll down    wait    done    fail
 *
 * `open` is a double click: it shows an application, a page or an item as a click does. The shortcuts are ctrl s, enter, escape and
 * delete.
 */
export type Command =
  | { verb: 'click' | 'open'; name: string }
  | { verb: 'type'; text: string }
  | { verb: 'key'; key: Shortcut }
  | { verb: 'done' | 'fail' }

export const SHORTCUTS = ['ctrl s', 'enter', 'escape', 'delete'] as const
export type Shortcut = (typeof SHORTCUTS)[number]

/** Null for what does nothing: waiting, scrolling (everything fits the screen), and unreadable text. */
export function parseCommand(text: string): Command | null {
  const trimmed = text.trim()
  const space = trimmed.indexOf(' ')
  if (space < 0) return trimmed === 'done' || trimmed === 'fail' ? { verb: trimmed } : null
  const verb = trimmed.slice(0, space)
  const rest = trimmed.slice(space + 1).trim()
  switch (verb) {
    case 'click':
    case 'open':
      return { verb, name: rest }
    case 'type':
      return { verb, text: rest.replace(/\s+/g, ' ') }
    case 'key': {
      const key = SHORTCUTS.find((shortcut) => shortcut === rest)
      return key ? { verb, key } : null
    }
    default:
      return null
  }
}
