/**
 * Some servers unpack a .gz on the way and some do not, and a file may be packed once more than its name says, which only some
 * browsers undo. So the first two bytes decide, again after each unpacking.
 */
export async function unzipped(body: ReadableStream<Uint8Array>): Promise<ReadableStream<BufferSource>> {
  const reader = body.getReader()
  const first: Uint8Array[] = []
  let isDone = false
  while (!isDone && first.reduce((bytes, { length }) => bytes + length, 0) < 2) {
    const next = await reader.read()
    isDone = next.done
    if (next.value) first.push(next.value)
  }
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of first) controller.enqueue(part as Uint8Array<ArrayBuffer>)
    },
    async pull(controller) {
      const next = isDone ? { done: true as const, value: undefined } : await reader.read()
      if (next.done) controller.close()
      else controller.enqueue(next.value as Uint8Array<ArrayBuffer>)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const [one, two] = first.flatMap((part) => [...part.subarray(0, 2)])
  return one === 0x1f && two === 0x8b ? unzipped(whole.pipeThrough(new DecompressionStream('gzip'))) : whole
}
