/** Every setting: its explanation, and what its control needs. */
import { DEFAULTS, isLiveSetting, settingDomain, type SettingDomain, type Settings } from '../../method/settings.ts'
import { WORDS } from './setting-words.ts'

interface SettingInfo {
  label: string
  /** What it does. */
  help: string
  paper: string | null
  released: string | null
  default: Settings[keyof Settings]
  /** Can change during a run. */
  isLive: boolean
  domain: SettingDomain
  /** Increment of the control; null unless the setting is a number. */
  step: number | null
}

export const SETTING_INFO: Readonly<Record<keyof Settings, SettingInfo>> = Object.fromEntries(
  (Object.keys(WORDS) as (keyof Settings)[]).map((name) => {
    const { label, help, paper = null, released = null, step } = WORDS[name]
    const domain = settingDomain(name)
    const info: SettingInfo = {
      label,
      help,
      paper,
      released,
      default: DEFAULTS[name],
      isLive: isLiveSetting(name),
      domain,
      step: domain.kind !== 'number' ? null : (step ?? (domain.integer ? 1 : 0.01)),
    }
    return [name, info]
  }),
) as Record<keyof Settings, SettingInfo>
