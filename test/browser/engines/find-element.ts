/**
 * Finds an element by its role and name, as Playwright's `getByRole` does in Chromium. This is a subset of the computation of names
 * (https://www.w3.org/TR/accname-1.2/) that covers this page. It runs in the page, so it uses nothing from outside.
 */
export function findElement(role: string, source: string): Element | null {
  const roles: Record<string, string> = {
    button: 'button, [role=button]',
    link: 'a[href]',
    textbox: 'input:not([type]), input[type=text], textarea',
    slider: 'input[type=range]',
    img: '[role=img]',
    alert: '[role=alert]',
    heading: 'h1, h2, h3, h4',
    radio: 'input[type=radio], [role=radio]',
    summary: 'summary',
  }
  const text = (node: Element | null | undefined) => (node?.textContent ?? '').replace(/\s+/g, ' ').trim()
  const nameOf = (element: Element): string => {
    const labelledBy = element.getAttribute('aria-labelledby')
    if (labelledBy !== null) {
      return labelledBy
        .split(/\s+/)
        .map((id) => text(document.getElementById(id)))
        .join(' ')
    }
    const label = element.getAttribute('aria-label')
    if (label !== null) return label
    const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
    if (labels && labels.length > 0) return Array.from(labels, text).join(' ')
    return text(element)
  }
  const name = new RegExp(source, 'u')
  const isShown = (element: Element) => element.getClientRects().length > 0
  return (
    Array.from(document.querySelectorAll(roles[role]!)).find((each) => isShown(each) && name.test(nameOf(each))) ?? null
  )
}
