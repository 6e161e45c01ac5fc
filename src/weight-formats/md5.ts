/** MD5 (RFC 1321) as a lower-case hexadecimal string, which tensor caches contain for their shards. Not for security. */

const ROTATIONS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0)

export function md5(bytes: Uint8Array): string {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476)
  const words = new Int32Array(16)
  const wholeBlocks = Math.floor(bytes.length / 64)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let block = 0; block < wholeBlocks; block++) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(64 * block + 4 * i, true)
    addBlock(state, words)
  }
  const rest = bytes.subarray(64 * wholeBlocks)
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128)
  tail.set(rest)
  tail[rest.length] = 0x80
  const tailView = new DataView(tail.buffer)
  tailView.setBigUint64(tail.length - 8, 8n * BigInt(bytes.length), true)
  for (let start = 0; start < tail.length; start += 64) {
    for (let i = 0; i < 16; i++) words[i] = tailView.getInt32(start + 4 * i, true)
    addBlock(state, words)
  }
  return [...new Uint8Array(state.buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function addBlock(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d] = state as unknown as [number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const round = i >> 4
    const mixed =
      round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d)
    const place = round === 0 ? i : round === 1 ? (5 * i + 1) & 15 : round === 2 ? (3 * i + 5) & 15 : (7 * i) & 15
    const sum = (a + mixed + SINES[i]! + words[place]!) | 0
    const turn = ROTATIONS[4 * round + (i & 3)]!
    ;[a, d, c, b] = [d, c, b, (b + ((sum << turn) | (sum >>> (32 - turn)))) | 0]
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}
