/**
 * The keys of a list of buttons that Tab enters once: arrows, Home and End move the focus, Enter presses. The button at
 * which Tab stops has the tab index 0, the others have −1.
 */
export function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')]
  const at = buttons.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
  if (at < 0 || to === undefined) return
  event.preventDefault()
  buttons[Math.min(buttons.length - 1, Math.max(0, to))]?.focus()
}
