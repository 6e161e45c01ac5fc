/**
 * Collects the errors that nothing in the page catches, from now on. It runs in the page, so it uses nothing from outside. Drivers
 * have no other word for them.
 */
export function collectUncaught(): string[] {
  const uncaught: string[] = []
  window.addEventListener('error', ({ message, filename, lineno }) => {
    // No error: the observer hears the rest in the next frame. Playwright leaves this notice out too.
    if (/^ResizeObserver loop/.test(message)) return
    uncaught.push(`${message} (${filename}:${lineno})`)
  })
  window.addEventListener('unhandledrejection', ({ reason }) => {
    uncaught.push(`Unhandled rejection: ${String(reason)}`)
  })
  return uncaught
}
