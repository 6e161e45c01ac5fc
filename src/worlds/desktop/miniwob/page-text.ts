/**
 * What a model reads of a page: the task, then a line for every element, with the number by which commands name it.
 *
 *     3 button "Submit" at 10 120, 60 × 20
 *     4 input text = "Ann" at 10 60, 120 × 20 (focus)
 *     5 circle rgb(255, 0, 0) at 40 90, 20 × 20
 */
import type { PageElement, PageView } from './protocol.ts'

export function openingText({ utterance, elements }: PageView): string {
  return `Task: ${utterance}\n${elementsText(elements)}`
}

/** What the page shows after a command. */
export function viewText({ utterance, elements, isAccepted, isDone }: PageView, before: string): string {
  if (isDone) return 'The task is over.'
  const said = [...(isAccepted ? [] : ['Nothing happens.']), ...(utterance === before ? [] : [`Task: ${utterance}`])]
  return [...said, elementsText(elements)].join('\n')
}

export function elementsText(elements: readonly PageElement[]): string {
  if (elements.length === 0) return 'The page is empty.'
  return elements.map(elementText).join('\n')
}

function elementText({ mark, tag, text, value, name, colour, box, isFocused }: PageElement): string {
  const [left, top, width, height] = box
  return [
    `${mark} ${tag}`,
    ...(name === '' ? [] : [name]),
    ...(text === '' ? [] : [JSON.stringify(text)]),
    ...(value === '' ? [] : [`= ${JSON.stringify(value)}`]),
    ...(colour === '' ? [] : [colour]),
    // The options of a closed menu are nowhere.
    ...(width + height === 0 ? [] : [`at ${left} ${top}, ${width} × ${height}`]),
    ...(isFocused ? ['(focus)'] : []),
  ].join(' ')
}
