/** Tells every part of the page, and other tabs, that a folder of a model was kept or removed. */
import { openTabChannel, type TabChannel } from './browser-storage.ts'

const CHANNEL = 'model-folders'

export function tellOfFolders(): void {
  const channel = openTabChannel(CHANNEL)
  channel.postMessage('changed')
  channel.close()
}

/** Hears of changes until the channel is closed. */
export function hearOfFolders(onChange: () => void): TabChannel {
  const channel = openTabChannel(CHANNEL)
  channel.onmessage = onChange
  return channel
}
