/**
 * The screen for models that read: a numbered list of marks, and a table of the kind that OSWorld's agents get from the accessibility
 * tree, with a row for each element: tag, name, text, class, description, position of the top left corner, size, separated by tabs.
 */
import type { SceneElement } from './scene.ts'

const HEADING = ['tag', 'name', 'text', 'class', 'description', 'position (top-left x&y)', 'size (w&h)'].join('\t')

export function accessibilityTable(elements: readonly SceneElement[]): string {
  const rows = elements.map(({ role, name, text, isSelected, place }) =>
    [
      role,
      name,
      text === '' ? '""' : text,
      '',
      isSelected ? 'selected' : '',
      `(${place.x}, ${place.y})`,
      `(${place.width}, ${place.height})`,
    ].join('\t'),
  )
  return [HEADING, ...rows].join('\n')
}

/** "7 push-button Rename", one line an element. */
export function marksText(elements: readonly SceneElement[]): string {
  return elements
    .map(({ mark, role, name, text, isSelected }) =>
      [mark, role, name, text === '' ? '' : `= ${text}`, isSelected ? '(selected)' : '']
        .filter((part) => part !== '')
        .join(' '),
    )
    .join('\n')
}
