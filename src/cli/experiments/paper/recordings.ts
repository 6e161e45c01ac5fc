/** The recorded runs that ship with the page, `public/runs`, as rows of published tables. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { servesOf } from '../../../method/metric-points.ts'
import { changedFrom, parseSettings } from '../../../method/presets.ts'
import type { ResultsFile, ResultsRow } from '../../../results/results-file.ts'
import { FULL } from './budget.ts'
import { asksJudge } from './jobs.ts'
import { ACCURACY_METRICS } from './tables/measures.ts'
import { readLog } from './unfinished-run.ts'

/** The results with the recordings that ship now, each with whether the row has other values for its seed. */
export async function withRecordings(root: string, results: ResultsFile): Promise<ResultsFile> {
  const rows = results.rows.map(async ({ recording: _, recordingDiffers: _too, ...row }): Promise<ResultsRow> => {
    const recording = recordingName(row, results.startsEarly)
    const path = join(root, `public/runs/${recording}.jsonl.gz`)
    if (row.isStart || !existsSync(path)) return row
    const isOther = differs(row, results.seeds, await recordedEnd(path))
    return { ...row, recording, ...(isOther && { recordingDiffers: true }) }
  })
  return { ...results, rows: await Promise.all(rows) }
}

interface RecordedEnd {
  seed: number
  /** The last held-out accuracy at temperature 0, by the row's name of it. */
  accuracy: Partial<Record<keyof typeof ACCURACY_METRICS, number>>
}

async function recordedEnd(path: string): Promise<RecordedEnd> {
  const end: RecordedEnd = { seed: NaN, accuracy: {} }
  for await (const events of readLog(path))
    for (const event of events) {
      if (event.type === 'run-started') end.seed = event.settings.seed
      if (event.type === 'evaluation' && servesOf(event) !== 'training') end.accuracy[event.split] = event.acc
    }
  return end
}

/** Runs of equal settings and models are equal, unless the code has changed between them. */
function differs({ values }: ResultsRow, seeds: readonly number[], { seed, accuracy }: RecordedEnd): boolean {
  const of = seeds.indexOf(seed)
  return Object.entries(accuracy).some(([name, recorded]) => {
    const published = values[name]?.[of]
    return typeof published === 'number' && Math.abs(published - recorded) > ROUNDING
  })
}

/** Values of tables have four digits. */
const ROUNDING = 1e-4

/**
 * "household-full-lambda-0.5": the name under which a recorded run of an arm ships with the page. Arms of other lengths, and those with
 * another judge or policy at the start, have other runs. A setting that the preset has anyway makes no other run.
 */
export function recordingName(
  { preset, settings: changed, start, iterations }: Pick<ResultsRow, 'preset' | 'settings' | 'start' | 'iterations'>,
  startsEarly = false,
): string {
  const settings = parseSettings(changed, preset)
  const isUsualLength = settings.world !== 'own' && iterations === FULL.iterations[settings.world]
  return [
    ...preset.split('+'),
    ...changedFrom(preset, changed).map(([name, value]) => `${name}-${value}`),
    ...(start === undefined ? [] : [start]),
    ...(startsEarly && asksJudge(settings) ? ['early-judge'] : []),
    ...(isUsualLength ? [] : [`${iterations}-iterations`]),
  ].join('-')
}
