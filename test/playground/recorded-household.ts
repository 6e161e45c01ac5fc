/** The household run shipped with the page, for tests that need real results of the loop. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { foldRun, type RunView } from '../../src/runs/fold.ts'

let view: RunView | null = null

export function recordedHousehold(): RunView {
  view ??= foldRun(
    parseRunLog(gunzipSync(readFileSync(new URL('../../public/runs/household.jsonl.gz', import.meta.url))).toString()),
  )
  return view
}
