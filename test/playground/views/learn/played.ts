/** Lessons played in a small world: real runs of the loop. */
import type { LoggedEvent } from '../../../../src/method/events.ts'
import type { LoopRequest } from '../../../../src/method/loop-contract.ts'
import type { LivePatch, Settings } from '../../../../src/method/settings.ts'
import { LESSONS } from '../../../../src/playground/views/learn/lessons.ts'
import { foldRun, type RunView } from '../../../../src/runs/fold.ts'
import { logOf, request, smallSettings, world } from '../../../method/corridor.ts'

export const lesson = (id: string) => LESSONS.find((candidate) => candidate.id === id)!

/** A real run of the loop in a small world, with the lesson's settings and the given changes between iterations. */
export async function playLog(
  id: string,
  input: Partial<Settings>,
  { patches = [], skill = 0.7, insight = 0.8, lengths = [5, 1, 6, 9], ...rest }: Play = {},
): Promise<LoggedEvent[]> {
  const settings = smallSettings({ ...lesson(id).difference, ...input })
  const queue = [...patches]
  return logOf(
    world({ skill, insight, lengths }),
    request(settings, { takePatch: () => queue.shift() ?? null, ...rest }),
  )
}
export const play = async (...args: Parameters<typeof playLog>): Promise<RunView> => foldRun(await playLog(...args))
export interface Play extends Partial<LoopRequest> {
  patches?: (LivePatch | null)[]
  skill?: number
  insight?: number
  lengths?: number[]
}
