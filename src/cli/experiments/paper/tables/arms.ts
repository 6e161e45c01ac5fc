/** Arms that several tables run. Equal settings share their runs, whatever their names. */
import { WORLDS } from '../../../../worlds/index.ts'
import type { Settings, ShippedWorld } from '../../../../method/settings.ts'
import type { Budget } from '../budget.ts'
import type { ArmPlan, RowPlan } from '../plan.ts'

export const ARM_LABELS: Readonly<Record<string, string>> = {
  grpo: 'GRPO: outcomes alone, no judge',
  'frozen-judge': 'Policy, frozen judge',
  'policy-reward': '+ reward model',
  full: '+ environment: the full loop',
  'step-frozen': 'Votes alone, frozen judge',
  'step-trained': 'Votes alone, trained judge',
}

/** An arm of Table 1 or of the signals; `id` is its preset unless settings are given. */
export function arm(
  world: ShippedWorld,
  preset: string,
  budget: Budget,
  settings: Partial<Settings> = {},
  id: string = preset,
): ArmPlan {
  return { id, preset: `${WORLDS[world].presets.own}+${preset}`, settings, iterations: budget.iterations[world] }
}

/** The start policy of an arm at temperature 0: a gain over it is skill. `only` are the ids of the measures that it shows. */
export function temperatureOnly(arm: string, only: readonly string[]): RowPlan {
  return { id: 'temperature-only', label: 'Untrained, T = 0: temperature only', arm, isStart: true, only }
}
