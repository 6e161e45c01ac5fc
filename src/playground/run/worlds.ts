/** Presets and settings of a world, as the page offers them. */
import { ARMS, PRESETS, presetSettings, type PresetName } from '../../method/presets.ts'
import type { Settings, World } from '../../method/settings.ts'
import { WORLD_NAMES, WORLDS } from '../../worlds/index.ts'
import { ablationLabel } from './ablations.ts'
import { SETTING_INFO } from './setting-info.ts'

export type SettingName = keyof Settings

interface PresetChoice {
  preset: string
  label: string
}

export function presetsOf(world: World): PresetChoice[] {
  const all: readonly string[] = WORLD_NAMES.flatMap((name) => WORLDS[name].presets.overlays)
  const whole = (Object.keys(PRESETS) as PresetName[]).filter(
    (name) => !all.includes(name) && presetSettings(name).world === world,
  )
  const { own, overlays } = WORLDS[world].presets
  return [
    ...whole.map((name) => ({ preset: name, label: presetLabel(name, world) })),
    ...overlays.map((name) => ({ preset: `${own}+${name}`, label: presetLabel(name, world) })),
  ]
}

/** A world's presets beside the chosen one, which may be another that a lesson or link names; each text once. */
export function presetMenu(world: World, chosen: string): PresetChoice[] {
  const own = presetsOf(world)
  if (own.some(({ preset }) => preset === chosen)) return own
  const label = presetWords(chosen)
  return [...own.filter((choice) => choice.label !== label), { preset: chosen, label }]
}

/** What a run's preset is for, in words, also of one without its world's own; its name if the page no longer has it. */
export function presetWords(preset: string): string {
  const alone = (world: World) =>
    WORLDS[world].presets.overlays.map((name) => ({ preset: name, label: presetLabel(name, world) }))
  const choices = WORLD_NAMES.flatMap((world): PresetChoice[] => [...presetsOf(world), ...alone(world)])
  return choices.find((choice) => choice.preset === preset)?.label ?? preset
}

/** What a preset is for, in words. Commands and links use its name. */
function presetLabel(name: string, world: World): string {
  const arm = ARMS.find((each) => each === name)
  if (arm) return ablationLabel(arm, world)
  if (name === 'phone') return 'Less memory and work, for a phone'
  if (name.startsWith('paper-')) return 'The paper’s run, as released'
  if (name === WORLDS[world].presets.own) return `${WORLDS[world].title}, for small models`
  if (name === WORLDS[world].presets.reference) return 'The released code’s arithmetic'
  return name
}

/** The preset of a world for the memory and clock of a phone. */
export function phonePreset(world: World): string {
  return `${WORLDS[world].presets.own}+phone`
}

/** Settings without meaning in a world, each group with the reason. */
function irrelevantIn(world: World): readonly { names: readonly SettingName[]; why: string }[] {
  const others = WORLD_NAMES.filter((name) => name !== world).map((name) => WORLDS[name].own)
  return [...WORLDS[world].irrelevant, ...others.map(({ names, elsewhere }) => ({ names, why: elsewhere }))]
}

export function isRelevant(name: SettingName, world: World): boolean {
  return !irrelevantIn(world).some(({ names }) => names.includes(name))
}

/** Why settings of a list are not shown; null where all are. "Steps per episode: a program is one step." */
export function leftOutSentence(names: readonly SettingName[], world: World): string | null {
  const reasons = irrelevantIn(world).flatMap(({ names: irrelevant, why }) => {
    const here = names.filter((name) => irrelevant.includes(name))
    return here.length === 0 ? [] : [`${here.map((name) => SETTING_INFO[name].label).join(', ')}: ${why}`]
  })
  return reasons.length === 0 ? null : `Without meaning here. ${reasons.join('; ')}.`
}

export function settingWords(name: SettingName, world: World): { label: string; help: string } {
  const { label, help } = WORLDS[world].settingWords[name] ?? SETTING_INFO[name]
  return { label, help }
}

/**
 * Replaces the names of settings in a message, which only the command line and files use, by their labels; by the symbol
 * where a label begins with one.
 */
export function inLabels(message: string, world: World): string {
  return message.replace(/\b(?:lambda|[a-z]+(?:[A-Z][a-z]+)+)\b/g, (name) =>
    Object.hasOwn(SETTING_INFO, name)
      ? settingWords(name as SettingName, world).label.replace(/^(\S+),.*/, '$1')
      : name,
  )
}
