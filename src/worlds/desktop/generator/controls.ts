/** The controls of Settings and of the browser's preferences. Layouts put each in one of two sections. */
import { BROWSER, SETTINGS, type Control } from '../engine/facts.ts'

interface ControlKind {
  name: string
  kind: Control['kind']
  options?: readonly string[]
  /** Indices of sections where it may be. */
  sections: readonly [number, number]
  /** Why it may be out of order. */
  fault?: string
}

const SETTINGS_CONTROLS: readonly ControlKind[] = [
  { name: 'brightness', kind: 'level', sections: [0, 3] },
  { name: 'theme', kind: 'choice', options: ['light', 'dark', 'grey'], sections: [0, 4] },
  { name: 'nightlight', kind: 'switch', sections: [0, 3], fault: 'no sensor' },
  { name: 'volume', kind: 'level', sections: [1, 1] },
  { name: 'mute', kind: 'switch', sections: [1, 4] },
  { name: 'alert', kind: 'choice', options: ['bell', 'chirp', 'none'], sections: [1, 0] },
  { name: 'wireless', kind: 'switch', sections: [2, 2] },
  { name: 'bluetooth', kind: 'switch', sections: [2, 1], fault: 'no adapter' },
  { name: 'hotspot', kind: 'switch', sections: [2, 4], fault: 'no adapter' },
  { name: 'sleep', kind: 'choice', options: ['never', 'hourly', 'soon'], sections: [3, 4] },
  { name: 'saver', kind: 'switch', sections: [3, 0], fault: 'no battery' },
  { name: 'camera', kind: 'switch', sections: [4, 2] },
  { name: 'location', kind: 'switch', sections: [4, 2] },
]

const PREFERENCES: readonly ControlKind[] = [
  { name: 'popups', kind: 'switch', sections: [0, 0] },
  { name: 'cookies', kind: 'switch', sections: [0, 0] },
  { name: 'translation', kind: 'switch', sections: [0, 0] },
  { name: 'engine', kind: 'choice', options: ['alpha', 'beta', 'gamma'], sections: [0, 0] },
]

/** `variant` 0 or 1 chooses the section of every control. */
export function controlsOf(variant: 0 | 1): Control[] {
  const control =
    (app: number) =>
    ({ name, kind, options, sections }: ControlKind): Control => ({
      name,
      app,
      section: sections[variant],
      kind,
      options: options ?? [],
      disabled: '',
    })
  return [...SETTINGS_CONTROLS.map(control(SETTINGS)), ...PREFERENCES.map(control(BROWSER))]
}

/** Why a control may be out of order; undefined if it never is. */
export const faultOf = (name: string): string | undefined =>
  SETTINGS_CONTROLS.find((control) => control.name === name)?.fault

export const ALL_CONTROL_WORDS: readonly string[] = [...SETTINGS_CONTROLS, ...PREFERENCES].flatMap(
  ({ name, options }) => [name, ...(options ?? [])],
)
