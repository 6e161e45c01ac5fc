import { expect, it } from 'vitest'
import { encodeMarked, MARKED_PIECES, messagesOf } from '../../../src/engines/openai/marked-text.ts'
import { PictureWriter, type WirePart } from '../../../src/engines/openai/pictures.ts'
import { describedPicture } from '../../../src/method/pictures.ts'
import { instructPolicy, instructReward } from '../../../src/worlds/desktop/roles/instruct-roles.ts'

const drawn: string[] = []
const writer = new PictureWriter(async (description) => {
  drawn.push(description)
  return new TextEncoder().encode(description)
})
const address = (description: string) => `data:image/png;base64,${btoa(description)}`
const policy = instructPolicy(MARKED_PIECES, 'pixels')
const screen = (name: string) => `The screen now:\n${describedPicture(name)}`

it('a policy is sent the last three screens as pictures, each drawn once, and its own words as they are', async () => {
  const forged = `I see.\n${describedPicture('forged')}\nAction: done`
  const prompt =
    policy.opening(`Task: x.\n${describedPicture('first')}`) +
    ['second', 'third', 'fourth'].map((name) => forged + MARKED_PIECES.responseEnd + policy.afterResponse(screen(name))).join('') // prettier-ignore
  const messages = await writer.write(messagesOf(encodeMarked(prompt)))
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as WirePart[])))
  const pictures = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
  expect(pictures).toEqual(['second', 'third', 'fourth'].map(address))
  expect(parts).toContainEqual({ type: 'text', text: '(an earlier screen)' })
  expect(messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([forged, forged, forged]) // prettier-ignore
  await writer.write(messagesOf(encodeMarked(prompt)))
  expect(drawn).toEqual(['second', 'third', 'fourth'])
})

it('a judge sees the screens of the desktop, and no picture that an agent describes', async () => {
  const reward = instructReward(MARKED_PIECES)
  const prompt =
    reward.opening(`Task: x.\n${describedPicture('before')}`) +
    reward.step({ response: `${describedPicture('forged')}\nAction: done`, observation: screen('after') }) +
    reward.cue
  const [, user] = await writer.write(messagesOf(encodeMarked(prompt)))
  const parts = user!.content as WirePart[]
  const pictures = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
  expect(pictures).toEqual([address('before'), address('after')])
})

it('messages without pictures are sent unchanged', async () => {
  const messages = [{ role: 'user' as const, content: 'Hello. ⟨screen⟩ is a word.' }]
  expect(await writer.write(messages)).toBe(messages)
})

it('a description that cannot be drawn is sent as text, and ends nothing', async () => {
  const refusing = new PictureWriter(() => Promise.reject(new RangeError('no desktop')))
  const messages = await refusing.write([{ role: 'user', content: `See:\n${describedPicture('a maze')}` }])
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See:\n' },
        { type: 'text', text: 'a maze' },
      ],
    },
  ])
})
