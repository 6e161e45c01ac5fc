/** Runs shipped with the page, for tests that need real results of the loop. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { foldRun, type RunView } from '../../src/runs/fold.ts'

const views = new Map<string, RunView>()

export const recordedHousehold = (): RunView => recordedRun('household')

/** By the name of its file. */
export function recordedRun(name: string): RunView {
  const file = new URL(`../../public/runs/${name}.jsonl.gz`, import.meta.url)
  const view = views.get(name) ?? foldRun(parseRunLog(gunzipSync(readFileSync(file)).toString()))
  views.set(name, view)
  return view
}
