/** Commands as buttons, grouped by verb. */

export interface CommandGroup {
  /** "go to", "take"; "see" for the commands of one word. */
  verb: string
  commands: { text: string; rest: string }[]
}

const VERBS = ['take', 'move', 'put', 'open', 'close', 'use', 'clean', 'heat', 'cool', 'slice', 'examine', 'go to']
/** Heading of `look`, `inventory` and `help`. */
export const PLAIN = 'see'

/** Verbs that change the world come first, then those that show it, then the many places to go to. */
export function commandGroups(commands: readonly string[]): CommandGroup[] {
  const groups = new Map<string, CommandGroup['commands']>([...VERBS, PLAIN].map((verb) => [verb, []]))
  for (const text of commands) {
    const verb = VERBS.find((each) => text.startsWith(`${each} `)) ?? PLAIN
    groups.get(verb)!.push({ text, rest: verb === PLAIN ? text : text.slice(verb.length + 1) })
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([verb, members]) => ({ verb, commands: members.sort((a, b) => byNumber.compare(a.rest, b.rest)) }))
}

/** "cabinet 2" before "cabinet 10". */
const byNumber = new Intl.Collator('en', { numeric: true })
