/** The lines of a text, and finally what follows the last line break: empty unless the text is incomplete. */
export async function* textLines(text: ReadableStream<BufferSource>): AsyncGenerator<string> {
  let rest = ''
  const reader = text.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const parts = (rest + next.value).split('\n')
      rest = parts.pop()!
      yield* parts
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  yield rest
}
