/**
 * Runs an action at the start of the next frame, and returns what cancels it. For effects that read positions: the frame lays the page
 * out anyway, whereas a reading in the effect lays it out once more, in the task that draws.
 */
export function nextFrame(action: () => void): () => void {
  const frame = requestAnimationFrame(action)
  return () => cancelAnimationFrame(frame)
}
