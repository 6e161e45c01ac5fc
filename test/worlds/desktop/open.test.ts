import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import type { DesktopGame } from '../../../src/worlds/desktop/engine/game.ts'
import { openDesktop, ScreenTextError } from '../../../src/worlds/desktop/open.ts'
import { tasksOnDesktop } from '../../../src/worlds/desktop/own/choose-task.ts'
import { desktopFormats } from '../../../src/worlds/desktop/roles/plain-roles.ts'
import { MARKED_PIECES } from '../../../src/engines/openai/marked-text.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'
import { chatModels } from '../instruct/chat-models.ts'

const PLAIN = { policy: null, reward: null, author: null }
const { pieces } = chatModels[0]!
const opened = (screen: 'text' | 'marks' | 'pixels') =>
  openDesktop({ settings: { ...presetSettings('desktop'), screen }, isResumed: false }, null)

it('the desktop gives plain models its plain roles, and chat models prompts of their own', async () => {
  const desktop = await opened('text')
  expect(await desktop.formatsFor(PLAIN)).toBe(desktopFormats)
  const formats = await desktop.formatsFor({ ...PLAIN, author: pieces })
  expect(formats.policy).toBe(desktopFormats.policy)
  expect(formats.author.prompt({ description: 'x', direction: 'easier', accuracy: 0, criticSummary: '' })).toContain(
    'You change tasks on a desktop',
  )
})

it('a list of marks is for chat models alone, and the desktop says so', async () => {
  const desktop = await opened('marks')
  await expect(desktop.formatsFor(PLAIN)).rejects.toThrow(ScreenTextError)
  await expect(desktop.formatsFor({ ...PLAIN, policy: pieces })).rejects.toThrow('set the screen to text')
  const { policy } = await desktop.formatsFor({ policy: pieces, reward: pieces, author: null })
  expect(policy.opening('Desktop: Files.')).toContain('click (number)')
})

it('pictures are for models that see, and the desktop says so', async () => {
  const desktop = await opened('pixels')
  const all = (each: ChatPieces) => ({ policy: each, reward: each, author: null })
  await expect(desktop.formatsFor(all(pieces))).rejects.toThrow('on an OpenAI-compatible server can see')
  const { policy } = await desktop.formatsFor(all(MARKED_PIECES))
  expect(policy.opening('')).toContain('You are shown a picture')
})

describe('tasks of one’s own', () => {
  const own = [3, 1, 2].flatMap((seed) => tasksOnDesktop('rename-file', seed).slice(0, 2))
  const openOwn = (games: readonly DesktopGame[] | null, isResumed = false) =>
    openDesktop(
      { settings: { ...presetSettings('desktop'), desktopTasks: 'own' }, isResumed },
      games && (() => Promise.resolve(games)),
    )

  it('are trained on, whatever their order, and generated ones are evaluated', async () => {
    const { environment } = await openOwn(own)
    const drawn = await environment.sampleTasks('train', 100, 5)
    expect(drawn.map(({ id }) => id).sort()).toEqual(own.map(({ id }) => id).sort())
    const other = await openOwn(own.toReversed())
    expect(await other.environment.sampleTasks('train', 3, 5)).toEqual(drawn.slice(0, 3))
    const usual = await opened('text')
    for (const split of ['id', 'ood'] as const)
      expect(await environment.sampleTasks(split, 3, 5)).toEqual(await usual.environment.sampleTasks(split, 3, 5))
  })

  it('must exist, unless the run has drawn them', async () => {
    await expect(openOwn([])).rejects.toThrow('this browser has none')
    await expect(openOwn(null)).rejects.toThrow('set desktopTasks to generated')
    const { environment } = await openOwn([], true)
    expect(await environment.sampleTasks('id', 2, 5)).toHaveLength(2)
  })
})
