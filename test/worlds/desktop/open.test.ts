import { expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { openDesktop, ScreenTextError } from '../../../src/worlds/desktop/open.ts'
import { desktopFormats } from '../../../src/worlds/desktop/roles/plain-roles.ts'
import { MARKED_PIECES } from '../../../src/engines/openai/marked-text.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'
import { chatModels } from '../instruct/chat-models.ts'

const PLAIN = { policy: null, reward: null, author: null }
const { pieces } = chatModels[0]!
const opened = (screen: 'text' | 'marks' | 'pixels') =>
  openDesktop({ settings: { ...presetSettings('desktop'), screen }, isResumed: false })

it('the desktop gives plain models its plain roles, and chat models prompts of their own', async () => {
  const desktop = opened('text')
  expect(await desktop.formatsFor(PLAIN)).toBe(desktopFormats)
  const formats = await desktop.formatsFor({ ...PLAIN, author: pieces })
  expect(formats.policy).toBe(desktopFormats.policy)
  expect(formats.author.prompt({ description: 'x', direction: 'easier', accuracy: 0, criticSummary: '' })).toContain(
    'You change tasks on a desktop',
  )
})

it('a list of marks is for chat models alone, and the desktop says so', async () => {
  const desktop = opened('marks')
  await expect(desktop.formatsFor(PLAIN)).rejects.toThrow(ScreenTextError)
  await expect(desktop.formatsFor({ ...PLAIN, policy: pieces })).rejects.toThrow('set the screen to text')
  const { policy } = await desktop.formatsFor({ policy: pieces, reward: pieces, author: null })
  expect(policy.opening('Desktop: Files.')).toContain('click (number)')
})

it('pictures are for models that see, and the desktop says so', async () => {
  const desktop = opened('pixels')
  const all = (each: ChatPieces) => ({ policy: each, reward: each, author: null })
  await expect(desktop.formatsFor(all(pieces))).rejects.toThrow('on an OpenAI-compatible server can see')
  const { policy } = await desktop.formatsFor(all(MARKED_PIECES))
  expect(policy.opening('')).toContain('You are shown a picture')
})
