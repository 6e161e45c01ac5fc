import { expect, it } from 'vitest'
import { NoChatRolesError, openDesktop } from '../../../src/worlds/desktop/open.ts'
import { desktopFormats } from '../../../src/worlds/desktop/roles/plain-roles.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'

/** Refused before anything is read from them. */
const PIECES = {} as ChatPieces

it('the desktop gives plain models its plain roles, and says that chat models cannot play there yet', async () => {
  const desktop = openDesktop()
  const plain = { policy: null, reward: null, author: null }
  expect(await desktop.formatsFor(plain)).toBe(desktopFormats)
  await expect(desktop.formatsFor({ ...plain, author: PIECES })).rejects.toThrow(NoChatRolesError)
})
