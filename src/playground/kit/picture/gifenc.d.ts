/** The part of gifenc that the page uses. The package has no types of its own. */
declare module 'gifenc' {
  interface FrameOptions {
    /** RGB triples; the first frame's is that of all frames without one. */
    palette?: number[][]
    transparent?: boolean
    transparentIndex?: number
    /** Milliseconds. */
    delay?: number
    /** 0 for ever. */
    repeat?: number
    /** 1 leaves the frame in place. */
    dispose?: number
  }
  interface Encoder {
    writeFrame(indices: Uint8Array, width: number, height: number, options?: FrameOptions): void
    finish(): void
    bytes(): Uint8Array
  }
  export function GIFEncoder(): Encoder
  export function quantize(rgba: Uint8Array | Uint8ClampedArray, maxColors: number): number[][]
  export function applyPalette(rgba: Uint8Array | Uint8ClampedArray, palette: number[][]): Uint8Array
}
