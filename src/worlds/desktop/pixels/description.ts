/**
 * A screen as the text that a picture is drawn from: how the window looks, then the rows of the accessibility table.
 *
 *     bottom window Files: Pictures
 *     list-item  tree.png  ""  selected  128  88  504  24
 */
import { describedPicture } from '../../../method/pictures.ts'
import { pageTitle, type ElementRole } from '../engine/elements.ts'
import { APPS } from '../engine/facts.ts'
import type { DesktopState } from '../engine/state.ts'
import { scene, type Rectangle } from '../scene/scene.ts'

export interface PictureElement {
  role: ElementRole
  name: string
  text: string
  isSelected: boolean
  place: Rectangle
}

export interface Picture {
  dock: 'left' | 'bottom'
  hasDialog: boolean
  /** '' where nothing is in front. */
  title: string
  elements: PictureElement[]
}

export function screenDescription(state: DesktopState): string {
  const title = state.front < 0 ? '' : `${APPS[state.front]!}: ${pageTitle(state, state.front)}`
  const rows = scene(state).map(({ role, name, text, isSelected, place: { x, y, width, height } }) =>
    [role, plain(name), plain(text), isSelected ? 'selected' : '', x, y, width, height].join('\t'),
  )
  const heading = `${state.game.layout.dock} ${state.dialog ? 'dialog' : 'window'} ${plain(title)}`
  return describedPicture([heading, ...rows].join('\n'))
}

/** More than a picture has room for. */
const LONGEST_TEXT = 60

const plain = (text: string) => text.replace(/\s+/g, ' ').slice(0, LONGEST_TEXT)

/** Throws RangeError for a description that `screenDescription` did not write. */
export function pictureOf(description: string): Picture {
  const [heading = '', ...rows] = description.split('\n')
  const match = /^(left|bottom) (dialog|window) (.*)$/.exec(heading)
  if (!match) throw new RangeError(`"${heading.slice(0, 40)}" does not begin the description of a desktop.`)
  return {
    dock: match[1] as Picture['dock'],
    hasDialog: match[2] === 'dialog',
    title: match[3]!,
    elements: rows.map((row) => {
      const [role, name, text, state, ...numbers] = row.split('\t')
      const [x, y, width, height] = numbers.map(Number)
      if (numbers.length !== 4 || ![x, y, width, height].every(Number.isInteger))
        throw new RangeError(`"${row.slice(0, 60)}" describes no element of a desktop.`)
      const place = { x: x!, y: y!, width: width!, height: height! }
      return { role: role as ElementRole, name: name!, text: text!, isSelected: state === 'selected', place }
    }),
  }
}
