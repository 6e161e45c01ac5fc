/** Tasks of Settings, and of the browser's preferences, which work alike. */
import { integer, pick, type Random } from '../../random.ts'
import { BROWSER, LEVELS, SETTINGS, type Control, type Desktop } from '../engine/facts.ts'
import { withAt } from '../engine/state.ts'
import { faultOf } from './controls.ts'
import type { DrawnDesktop } from './draw-desktop.ts'
import { defineTemplate, pagesBelow, type Place, type Request, type Template } from './template.ts'

interface ControlParameters {
  [name: string]: number
  control: number
  value: number
}

/** Indices of the controls of an application and a kind. */
const controlsOf = (desktop: Desktop, app: number, kind?: Control['kind']): number[] =>
  [...desktop.controls.keys()].filter((index) => {
    const control = desktop.controls[index]!
    return control.app === app && (kind === undefined || control.kind === kind)
  })

function requestControl({ desktop, facts }: Place, { control: index, value }: ControlParameters): Request | null {
  if (facts.values[index] === value) return null
  const { name, kind, options, app, section } = desktop.controls[index]!
  const said = kind === 'switch' ? (value ? 'on' : 'off') : kind === 'choice' ? options[value]! : String(value * 10)
  const isBrowser = app === BROWSER
  const place = isBrowser ? ' in the browser' : ''
  return {
    sentence: kind === 'switch' ? `switch ${name} ${said}${place}.` : `set ${name} to ${said}${place}.`,
    object: name,
    target: said,
    goal: { ...facts, values: withAt(facts.values, index, value) },
    ...(!isBrowser && {
      missing: [{ app: SETTINGS, at: 1 << section, mayHold: pagesBelow(desktop.sections.length) }],
      place: `${name} is in ${desktop.sections[section]!}`,
    }),
  }
}

/** Another value that the control can have; a level changes by at most three. */
function drawValue({ desktop, facts }: DrawnDesktop, index: number, random: Random): number {
  const { kind, options } = desktop.controls[index]!
  const now = facts.values[index]!
  if (kind === 'switch') return 1 - now
  if (kind === 'choice') {
    return pick(
      random,
      [...options.keys()].filter((option) => option !== now),
    )
  }
  const change = integer(random, 1, 3) * (integer(random, 0, 1) === 1 ? 1 : -1)
  return now + (now + change < 0 || now + change > LEVELS ? -change : change)
}

const draw =
  (app: number, kind?: Control['kind']) =>
  (drawn: DrawnDesktop, random: Random): ControlParameters => {
    const control = pick(random, controlsOf(drawn.desktop, app, kind))
    return { control, value: drawValue(drawn, control, random) }
  }

function setOption({ desktop }: Place, parameters: ControlParameters, value: string): ControlParameters | null {
  const option = desktop.controls[parameters.control]!.options.indexOf(value)
  return option < 0 ? null : { ...parameters, value: option }
}

const switchSetting = defineTemplate<ControlParameters>({
  name: 'switch-setting',
  domain: 'settings',
  draw: draw(SETTINGS, 'switch'),
  request: requestControl,
})

const setLevel = defineTemplate<ControlParameters>({
  name: 'set-level',
  domain: 'settings',
  draw: draw(SETTINGS, 'level'),
  request: requestControl,
  settable: {
    level: (_, parameters, value) =>
      /^(\d0|100|0)$/.test(value) ? { ...parameters, value: Number(value) / 10 } : null,
  },
})

const chooseSetting = defineTemplate<ControlParameters>({
  name: 'choose-setting',
  domain: 'settings',
  draw: draw(SETTINGS, 'choice'),
  request: requestControl,
  settable: { option: setOption },
})

const switchBroken = defineTemplate<ControlParameters>({
  name: 'switch-setting-impossible',
  domain: 'settings',
  weight: 0.3,
  draw(drawn, random) {
    const { desktop, facts } = drawn
    const control = pick(
      random,
      controlsOf(desktop, SETTINGS).filter((index) => faultOf(desktop.controls[index]!.name) !== undefined),
    )
    return { control, value: 1 - facts.values[control]! }
  },
  request(place, parameters) {
    const request = requestControl(place, parameters)
    const { section } = place.desktop.controls[parameters.control]!
    const evidence = [{ app: SETTINGS, pages: 1 << section, needsButtons: false }]
    return request && { ...request, goal: place.facts, missing: [], evidence }
  },
  spoil(desktop, { control: index }) {
    const control = desktop.controls[index]!
    return {
      ...desktop,
      controls: withAt(desktop.controls, index, { ...control, disabled: faultOf(control.name) ?? '' }),
    }
  },
})

export const setPreference = defineTemplate<ControlParameters>({
  name: 'set-preference',
  domain: 'browser',
  isOodTemplate: true,
  draw: draw(BROWSER),
  request: requestControl,
  settable: { option: setOption },
})

export const SETTING_TEMPLATES: readonly Template[] = [switchSetting, setLevel, chooseSetting, switchBroken]
