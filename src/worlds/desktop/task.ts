/** A task: a game and the rewrites that made it. Every rewrite composes the game anew, so instruction and verifier always agree. */
import { APPS, draftsBox, sentBox } from './engine/facts.ts'
import type { DesktopGame } from './engine/game.ts'
import { buttonWord } from './engine/layout.ts'
import { lineText, valueText } from './engine/values.ts'
import { templateNamed } from './generator/templates.ts'
import type { TaskRewrite } from './rewrites/language.ts'

/** Plain data. */
export interface DesktopTask {
  id: string
  /** The task that the first rewrite was applied to; the task's own id if there is none. */
  rootId: string
  game: DesktopGame
  /** In order. */
  rewrites: readonly TaskRewrite[]
}

export const taskOf = (game: DesktopGame): DesktopTask => ({ id: game.id, rootId: game.id, game, rewrites: [] })

/**
 * The task as the author reads it:
 *
 *     Goal: rename tree.png to forest.png.
 *     set: name
 *     front: nothing
 *     Pictures: cat.png, tree.png
 *     Trash: lake.pdf
 *     More: Rename, Copy
 */
export function describeTask({ game }: DesktopTask): string {
  const { desktop, start, layout, wish } = game
  const { settable, domain } = templateNamed(wish.template)
  const front = game.front < 0 ? 'nothing' : APPS[game.front]!
  const lines = [`Goal: ${game.instruction}`, `set: ${settable.join(', ') || 'nothing'}`, `front: ${front}`]
  const shows = (name: string, things: readonly string[]) => lines.push(`${name}: ${things.join(', ') || 'empty'}`)
  if (domain === 'files' || domain === 'several') {
    start.folders.forEach((folder, index) =>
      shows(
        folder!,
        start.files.filter((file) => !file.isTrashed && file.folder === index).map(({ name }) => name),
      ),
    )
    shows(
      'Trash',
      start.files.filter(({ isTrashed }) => isTrashed).map(({ name }) => name),
    )
  }
  if (domain === 'editor') desktop.documents.forEach((name, i) => shows(name, start.documents[i]!.map(lineText)))
  if (domain === 'sheet' || domain === 'several') {
    desktop.tables.forEach(({ name, headers }, i) =>
      shows(name, [headers.join(' '), ...start.tables[i]!.rows.map((row) => row.join(' '))]),
    )
  }
  if (domain === 'mail' || domain === 'several') {
    desktop.boxes.forEach((name, box) => {
      if (box === sentBox(desktop)) return
      const mails = desktop.mails.filter((_, index) => start.mails[index]!.box === box)
      shows(
        name,
        mails.map(({ subject, from }) => (box === draftsBox(desktop) ? subject : `${subject} ${from}`)),
      )
    })
  }
  if (domain === 'settings') {
    desktop.sections.forEach((name, section) => {
      const controls = [...desktop.controls.keys()].filter((i) => desktop.controls[i]!.section === section)
      shows(
        name,
        controls.flatMap((i) => {
          const control = desktop.controls[i]!
          return control.app === 4 ? [`${control.name} ${valueText(control, start.values[i]!)}`] : []
        }),
      )
    })
  }
  if (domain === 'browser') {
    desktop.site.forEach(({ name, links }) =>
      shows(
        name,
        links.map((link) => desktop.site[link]!.name),
      ),
    )
  }
  shows(
    'More',
    layout.nested.map((button) => buttonWord(layout, button)),
  )
  return lines.join('\n')
}
