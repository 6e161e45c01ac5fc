/** Bytes as base64 text; of any length, unlike `btoa(String.fromCharCode(...bytes))`, which runs out of stack. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
