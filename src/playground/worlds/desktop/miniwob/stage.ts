/** Where pages play unseen: beside the window, since they have to be drawn, and out of reach of mouse and keyboard. */
import type { OpenPage } from '../../../../worlds/desktop/miniwob/protocol.ts'
import { steadyPages } from '../../../../worlds/desktop/miniwob/steady-pages.ts'
import { openPageFrame } from './page-frame.ts'

export interface Stage {
  open: OpenPage
  /** Ends every page on it. */
  close(): void
}

export function openStage(): Stage {
  const place = document.createElement('div')
  place.inert = true
  place.setAttribute('aria-hidden', 'true')
  place.style.cssText = 'position: fixed; top: 0; left: -10000px'
  document.body.append(place)
  return {
    open: steadyPages((content) => openPageFrame(content, place, { title: 'A page of MiniWoB++ that plays unseen' })),
    close: () => place.remove(),
  }
}
