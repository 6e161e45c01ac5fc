/** Where a run's settings were changed or a model was replaced, as marks on its curves. */
import type { RunView } from '../../runs/fold.ts'
import { counted } from '../kit/format.ts'
import type { ChartMark } from '../kit/charts/series.ts'
import { writeSetting } from './differences.ts'
import { ROLE_TITLES } from './role-models.ts'
import type { SettingName } from './settings-form.ts'
import { settingWords } from './worlds.ts'

/** One mark for each iteration that began with other settings or models: "λ = 2", "3 settings", "Reward model replaced". */
export function settingMarks(view: RunView): ChartMark[] {
  const world = view.settings?.world
  if (world === undefined) return []
  const changes = new Map<number, Map<string, string>>()
  const add = (iteration: number, name: string, text: string) => {
    const own = changes.get(iteration) ?? new Map<string, string>()
    changes.set(iteration, own.set(name, text))
  }
  for (const { iteration, role } of view.replacements) add(iteration, role, `${ROLE_TITLES[role]} replaced`)
  for (const { iteration, patch } of view.settingsChanges)
    for (const [name, value] of Object.entries(patch)) {
      const symbol = settingWords(name as SettingName, world).label.replace(/^(\S+),.*/, '$1')
      add(iteration, name, `${symbol} = ${writeSetting(value)}`)
    }
  return Array.from(changes, ([iteration, own]) => {
    const [text] = own.values()
    const isModel = view.replacements.some((each) => each.iteration === iteration)
    return { iteration, text: own.size === 1 ? text! : counted(own.size, isModel ? 'change' : 'setting') }
  })
}
