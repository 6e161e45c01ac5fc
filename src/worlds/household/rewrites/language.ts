/**
 * Rewrites as text, one line each, short enough for a tiny author to write:
 *
 *     goal mug cabinet        hint mug 1         no hints          add 3
 *     remove plate 2          open drawer 2      close drawer 2    move mug 1 to drawer 2
 */
/** What an author can do to a task. Names objects and receptacles ("mug 1"), but types in goals ("mug"). */
export type TaskRewrite =
  /** Asks for other types in the same kind of task; `target` is a receptacle or, in the lamp task, a lamp. */
  | { kind: 'change-goal'; object: string; target: string }
  /** Tells where an object is; applying the rewrite fills in the receptacle. */
  | { kind: 'add-hint'; object: string; receptacle?: string }
  | { kind: 'remove-hints' }
  /** Adds objects that such rooms often have, of other types than the goal's; applying the rewrite fills in the seed. */
  | { kind: 'add-distractors'; count: number; seed?: number }
  | { kind: 'remove-object'; object: string }
  | { kind: 'open'; receptacle: string }
  | { kind: 'close'; receptacle: string }
  | { kind: 'move'; object: string; receptacle: string }

/** Objects that one rewrite may add. */
export const MOST_DISTRACTORS = 8

const name = '([a-z]+ \\d+)'

const forms: readonly [RegExp, (...parts: string[]) => TaskRewrite][] = [
  [/^goal ([a-z]+) ([a-z]+)$/, (object, target) => ({ kind: 'change-goal', object, target })],
  [new RegExp(`^hint ${name}$`), (object) => ({ kind: 'add-hint', object })],
  [/^no hints$/, () => ({ kind: 'remove-hints' })],
  [/^add (\d{1,3})$/, (count) => ({ kind: 'add-distractors', count: Number(count) })],
  [new RegExp(`^remove ${name}$`), (object) => ({ kind: 'remove-object', object })],
  [new RegExp(`^open ${name}$`), (receptacle) => ({ kind: 'open', receptacle })],
  [new RegExp(`^close ${name}$`), (receptacle) => ({ kind: 'close', receptacle })],
  [new RegExp(`^move ${name} to ${name}$`), (object, receptacle) => ({ kind: 'move', object, receptacle })],
]

/** Null if the text matches no form. Ignores letter case and a final full stop. */
export function parseRewrite(text: string): TaskRewrite | null {
  const line = text.trim().toLowerCase().replace(/\.$/, '').replace(/\s+/g, ' ')
  for (const [form, build] of forms) {
    const match = form.exec(line)
    if (match) return build(...match.slice(1))
  }
  return null
}

export function formatRewrite(rewrite: TaskRewrite): string {
  switch (rewrite.kind) {
    case 'change-goal':
      return `goal ${rewrite.object} ${rewrite.target}`
    case 'add-hint':
      return `hint ${rewrite.object}`
    case 'remove-hints':
      return 'no hints'
    case 'add-distractors':
      return `add ${rewrite.count}`
    case 'remove-object':
      return `remove ${rewrite.object}`
    case 'open':
    case 'close':
      return `${rewrite.kind} ${rewrite.receptacle}`
    case 'move':
      return `move ${rewrite.object} to ${rewrite.receptacle}`
  }
}
