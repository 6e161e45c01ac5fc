/** Changes of settings in the words of a lesson. */
import { presetSettings } from '../../../method/presets.ts'
import type { Settings } from '../../../method/settings.ts'
import type { Lesson } from './lesson.ts'
import { writeSetting } from '../../run/differences.ts'
import { settingWords } from '../../run/worlds.ts'

type Value = Settings[keyof Settings]

/** "λ, weight of the votes: 8; Policy temperature: 0.5". */
export function changeWords(change: Partial<Settings>, { preset }: Pick<Lesson, 'preset'>): string {
  const { world } = presetSettings(preset)
  return (Object.entries(change) as [keyof Settings, Value][])
    .map(([name, value]) => `${settingWords(name, world).label}: ${writeSetting(value)}`)
    .join('; ')
}
