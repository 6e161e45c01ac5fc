/** Whether arrow keys move something in an element: a value, a choice, what it shows of itself, or the text of a popover. */
export function usesArrows(element: Element): boolean {
  const isScroller =
    element !== document.body &&
    element.scrollWidth > element.clientWidth &&
    getComputedStyle(element).overflowX === 'auto'
  return (
    isScroller || element.closest('input:not([type="checkbox"]), select, textarea, [role="grid"], [popover]') !== null
  )
}
