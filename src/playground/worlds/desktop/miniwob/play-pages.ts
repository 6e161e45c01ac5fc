/** Opens a model on a server and plays pages with it. */
import { OpenAiModel } from '../../../../engines/openai/openai-model.ts'
import type { OpenAiSource } from '../../../../roles/source.ts'
import { evaluate, type EvaluationPlan, type PlayedPage } from '../../../../worlds/desktop/miniwob/evaluate.ts'
import { miniwobPolicy } from '../../../../worlds/desktop/miniwob/roles.ts'
import { openStage } from './stage.ts'

/** Throws RemoteError, or an Error for a model that cannot chat. */
export async function* playPages(
  plan: EvaluationPlan,
  { source, key }: { source: OpenAiSource; key: string | null },
  signal: AbortSignal,
): AsyncGenerator<PlayedPage> {
  const model = new OpenAiModel({ source, key })
  const stage = openStage()
  try {
    await model.load()
    const pieces = await model.chatPieces()
    if (pieces === null) throw new Error(`The server has no chat interface for “${source.model}”. Choose a chat model.`)
    yield* evaluate(plan, { policy: model, format: miniwobPolicy(pieces), open: stage.open }, signal)
  } finally {
    stage.close()
    model.close()
  }
}
