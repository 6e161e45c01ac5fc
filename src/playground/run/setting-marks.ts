/** Where a run's settings were changed, as marks on its curves. */
import type { RunView } from '../../runs/fold.ts'
import { counted } from '../kit/format.ts'
import type { ChartMark } from '../kit/charts/series.ts'
import { writeSetting } from './differences.ts'
import type { SettingName } from './settings-form.ts'
import { settingWords } from './worlds.ts'

/** One mark for each iteration that began with other settings: "λ = 2", or "3 settings". */
export function settingMarks(view: RunView): ChartMark[] {
  const world = view.settings?.world
  if (world === undefined) return []
  const changes = new Map<number, Map<SettingName, string>>()
  for (const { iteration, patch } of view.settingsChanges) {
    const own = changes.get(iteration) ?? new Map<SettingName, string>()
    for (const [name, value] of Object.entries(patch)) own.set(name as SettingName, writeSetting(value))
    changes.set(iteration, own)
  }
  return Array.from(changes, ([iteration, own]) => {
    const [[name, value]] = [...own] as [[SettingName, string]]
    const symbol = settingWords(name, world).label.replace(/^(\S+),.*/, '$1')
    return { iteration, text: own.size === 1 ? `${symbol} = ${value}` : counted(own.size, 'setting') }
  })
}
