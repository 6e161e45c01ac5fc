/** Where a run's settings were changed or a model was replaced, as marks on its curves. */
import type { RunView } from '../../runs/fold.ts'
import { counted } from '../kit/format.ts'
import type { ChartMark } from '../kit/charts/series.ts'
import { writeSetting } from './differences.ts'
import { ROLE_TITLES } from './role-models.ts'
import type { SettingName } from './settings-form.ts'
import { settingWords } from './worlds.ts'

interface Change {
  text: string
  title: string
}

/**
 * One mark for each iteration that began with other settings or models: "λ = 2", "household-reward-early", "3 settings". Its title says
 * all of them: "λ = 2; Reward model: household-reward-early".
 */
export function settingMarks(view: RunView): ChartMark[] {
  const world = view.settings?.world
  if (world === undefined) return []
  const changes = new Map<number, Map<string, Change>>()
  const add = (iteration: number, name: string, change: Change) => {
    const own = changes.get(iteration) ?? new Map<string, Change>()
    changes.set(iteration, own.set(name, change))
  }
  for (const { iteration, role, model } of view.replacements)
    add(iteration, role, { text: lastPart(model), title: `${ROLE_TITLES[role]}: ${model}` })
  for (const { iteration, patch } of view.settingsChanges)
    for (const [name, value] of Object.entries(patch)) {
      const symbol = settingWords(name as SettingName, world).label.replace(/^(\S+),.*/, '$1')
      const text = `${symbol} = ${writeSetting(value)}`
      add(iteration, name, { text, title: text })
    }
  return Array.from(changes, ([iteration, own]) => {
    const all = [...own.values()]
    const isModel = view.replacements.some((each) => each.iteration === iteration)
    return {
      iteration,
      text: all.length === 1 ? all[0]!.text : counted(all.length, isModel ? 'change' : 'setting'),
      title: all.map(({ title }) => title).join('; '),
    }
  })
}

/** The name at the end of a path, since a chart has little room. */
function lastPart(model: string): string {
  return model.replace(/\/+$/, '').split('/').at(-1)!
}
