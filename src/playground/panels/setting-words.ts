/** Words of the settings until the method has its own. */
import type { SettingName } from './settings-form.ts'

export interface SettingWords {
  label: string
  symbol?: string
  help: string
  equation?: string
  provenance?: string
}

const WORDS: Partial<Record<SettingName, SettingWords>> = {
  lambda: {
    label: 'Step-score weight',
    symbol: 'λ',
    help: 'How much the reward model’s step scores count beside the outcome.',
    equation: 'R = O + (λ / m) Σ S',
  },
}

export function settingWords(name: SettingName): SettingWords {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase()
  return WORDS[name] ?? { label: words.charAt(0).toUpperCase() + words.slice(1), help: '' }
}
