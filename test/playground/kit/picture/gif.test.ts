import { expect, it } from 'vitest'
import { gifOf, type Frame } from '../../../../src/playground/kit/picture/gif.ts'

const SIZE = { width: 12, height: 8 }

/** A picture of one colour with one pixel of another. */
function picture(at: number, [r, g, b]: readonly [number, number, number]): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(4 * SIZE.width * SIZE.height).fill(255)
  pixels.set([r, g, b], 4 * at)
  return pixels
}

/** The fields of a file that a decoder reads before it unpacks pixels: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. */
function readGif(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const colours = 2 ** ((bytes[10]! & 7) + 1)
  let at = 13 + 3 * colours
  const delays: number[] = []
  const transparent: (number | null)[] = []
  let frames = 0
  const skipBlocks = () => {
    while (bytes[at] !== 0) at += bytes[at]! + 1
    at++
  }
  while (bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) {
        delays.push(10 * view.getUint16(at + 4, true))
        transparent.push((bytes[at + 3]! & 1) === 1 ? bytes[at + 6]! : null)
      }
      at += 2
      skipBlocks()
    } else {
      expect(bytes[at]).toBe(0x2c)
      frames++
      const local = bytes[at + 9]!
      at += 10 + ((local & 0x80) === 0 ? 0 : 3 * 2 ** ((local & 7) + 1)) + 1
      skipBlocks()
    }
  }
  return {
    version: new TextDecoder().decode(bytes.subarray(0, 6)),
    width: view.getUint16(6, true),
    height: view.getUint16(8, true),
    colours,
    frames,
    delays,
    transparent,
  }
}

it('writes all frames with their times, and only what changes after the first', async () => {
  const red = picture(5, [200, 0, 0])
  const black = picture(30, [0, 0, 0])
  async function* frames(): AsyncGenerator<Frame> {
    yield { pixels: red, ms: 4440 }
    yield { pixels: black, ms: 70 }
  }
  const blob = await gifOf(frames(), [red, black], SIZE)
  expect(blob.type).toBe('image/gif')
  expect(readGif(new Uint8Array(await blob.arrayBuffer()))).toEqual({
    version: 'GIF89a',
    ...SIZE,
    colours: 256,
    frames: 2,
    delays: [4440, 70],
    transparent: [null, 255],
  })
})
