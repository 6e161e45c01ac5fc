/**
 * An animated picture of few, flat colours. All frames share one palette, and a frame contains only the pixels that differ from the
 * one before it, which is what keeps a loop of ten seconds small.
 */
import { applyPalette, GIFEncoder, quantize } from 'gifenc'
import { joinArrays } from '../../../method/join-arrays.ts'

export interface Frame {
  /** RGBA, row by row. */
  pixels: Uint8ClampedArray
  /** How long it stays. GIF counts in hundredths of a second. */
  ms: number
}

/** The last entry of the palette means that a pixel stays as it was. */
const COLOURS = 255
const UNCHANGED = COLOURS
/** Every so many pixels are read for the palette: pictures of few colours need no more. */
const SAMPLED = 5

/** Repeats for ever. The palette is taken from `keys`, frames with all colours that occur. */
export async function gifOf(
  frames: AsyncIterable<Frame>,
  keys: readonly Uint8ClampedArray[],
  { width, height }: { width: number; height: number },
): Promise<Blob> {
  const colours = quantize(sampleOf(keys), COLOURS)
  const palette = Array.from({ length: UNCHANGED + 1 }, (_, i) => colours[i] ?? [0, 0, 0])
  const gif = GIFEncoder()
  let before: Uint8Array | null = null
  for await (const { pixels, ms } of frames) {
    const indices = applyPalette(pixels, colours)
    const drawn = before === null ? indices : changed(before, indices)
    gif.writeFrame(drawn, width, height, {
      ...(before === null && { palette }),
      delay: ms,
      repeat: 0,
      dispose: 1,
      ...(before !== null && { transparent: true, transparentIndex: UNCHANGED }),
    })
    before = indices
  }
  gif.finish()
  return new Blob([gif.bytes() as Uint8Array<ArrayBuffer>], { type: 'image/gif' })
}

function sampleOf(keys: readonly Uint8ClampedArray[]): Uint8Array {
  const words = keys.map((pixels) => {
    const all = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4)
    return all.filter((_, i) => i % SAMPLED === 0)
  })
  return new Uint8Array(joinArrays(Uint32Array, words).buffer)
}

function changed(before: Uint8Array, after: Uint8Array): Uint8Array {
  return after.map((index, i) => (index === before[i] ? UNCHANGED : index))
}
