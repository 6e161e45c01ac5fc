/** Flags for every Chromium that the project launches: no sandbox for root, who cannot have one, and no traffic of the browser's own. */
export function launchFlags({ isRoot = process.getuid?.() === 0 } = {}) {
  return [
    ...(isRoot ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-dev-shm-usage',
  ]
}
