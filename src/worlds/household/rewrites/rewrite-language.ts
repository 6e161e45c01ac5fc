/**
 * Rewrites in words, one line each, short enough for a tiny author to write:
 *
 *     goal mug cabinet        hint mug 1         no hints          add 3
 *     remove plate 2          open drawer 2      close drawer 2    move mug 1 to drawer 2
 */
import type { TaskRewrite } from '../task.ts'

const name = '([a-z]+ \\d+)'

const forms: readonly [RegExp, (...parts: string[]) => TaskRewrite][] = [
  [/^goal ([a-z]+) ([a-z]+)$/, (object, target) => ({ kind: 'change-goal', object: object, target: target })],
  [new RegExp(`^hint ${name}$`), (object) => ({ kind: 'add-hint', object: object })],
  [/^no hints$/, () => ({ kind: 'remove-hints' })],
  [/^add (\d{1,3})$/, (count) => ({ kind: 'add-distractors', count: Number(count) })],
  [new RegExp(`^remove ${name}$`), (object) => ({ kind: 'remove-object', object: object })],
  [new RegExp(`^open ${name}$`), (receptacle) => ({ kind: 'open', receptacle: receptacle })],
  [new RegExp(`^close ${name}$`), (receptacle) => ({ kind: 'close', receptacle: receptacle })],
  [
    new RegExp(`^move ${name} to ${name}$`),
    (object, receptacle) => ({ kind: 'move', object: object, receptacle: receptacle }),
  ],
]

/** Null if the text is none of the forms; a final full stop and letter case do not matter. */
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
