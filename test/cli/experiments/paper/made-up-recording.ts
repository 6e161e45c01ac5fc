/** A recorded run of which only the end counts. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { LoggedEvent } from '../../../../src/method/events.ts'
import { serialiseRunLog } from '../../../../src/runs/run-log.ts'
import { runStarted } from '../run-started.ts'

export async function writeRecording(
  root: string,
  name: string,
  { seed, id }: { seed: number; id: number },
): Promise<void> {
  const evaluation = { type: 'evaluation', policyVersion: 0, episodes: 200, iteration: 40 } as const
  const events: LoggedEvent[] = [
    runStarted('household+full', { seed }),
    { ...evaluation, seq: 1, split: 'id', acc: id, serves: 'evaluation' },
    { ...evaluation, seq: 2, split: 'id', acc: id / 2, serves: 'training' },
  ]
  await writeFile(join(root, `public/runs/${name}.jsonl.gz`), gzipSync(serialiseRunLog(events)))
}
