/** The settings on the controls that differ from their preset. */
import type { Settings } from '../../method/settings.ts'
import { exact } from '../kit/format.ts'
import { FOLDED, UP_FRONT, type SettingName } from './settings-form.ts'
import { isRelevant, settingWords } from './worlds.ts'

export interface Difference {
  name: SettingName
  label: string
  value: string
  preset: string
}

/** "on", "0.5", "integrated". Every digit of a number, since a seed of 12345 is another run than one of 12350. */
export function writeSetting(value: Settings[SettingName]): string {
  if (typeof value === 'number') return exact(value)
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value
}

/** In the order of the controls. Settings without meaning in the world are left out. */
export function differences(values: Settings, base: Settings): Difference[] {
  return [...UP_FRONT, ...FOLDED]
    .flatMap(({ names }) => names)
    .filter((name) => values[name] !== base[name] && isRelevant(name, values.world))
    .map((name) => ({
      name,
      label: settingWords(name, values.world).label,
      value: writeSetting(values[name]),
      preset: writeSetting(base[name]),
    }))
}
