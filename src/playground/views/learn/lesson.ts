/**
 * What a lesson is: settings to start with, steps, places to look at, and an observation that the page checks in the events
 * of your own run (observations.ts). A lesson counts as learned when its observation was made, not when it was read.
 */
import type { RunView } from '../../../runs/fold.ts'
import { parseSettings, type PresetName } from '../../../method/presets.ts'
import type { LivePatch, Settings } from '../../../method/settings.ts'
import type { Section } from '../../state/link.ts'

export interface Observation {
  isMade: boolean
  /** The numbers so far, or what is missing. */
  evidence: string
}

export interface LessonStep {
  text: string
  /** A change that the page can make during the run. */
  change?: LivePatch
  /** A button that the page can press: Run, or the step of one component alone. */
  press?: 'run' | 'policy' | 'reward'
  /** The step is done after so many finished iterations under its settings; without it, once the observation is made. */
  iterations?: number
}

/** Addresses of the places on the page that lessons look at: views or parts of one (views.ts). */
const PLACES = {
  Alarms: '#alarms',
  Curves: '#loop',
  Episodes: '#episodes',
  Results: '#results',
  Tasks: '#tasks',
  'The equation': '#equation',
  'The loop': '#loop',
  'The theory': '#theory',
  Thresholds: '#thresholds',
} as const
type PlaceName = keyof typeof PLACES

/** A change of settings to try after the steps, with what to look for. */
export interface Variation {
  change: Partial<Settings>
  text: string
}

export interface Lesson {
  id: string
  title: string
  preset: PresetName
  /** Changes to the preset. */
  difference: Partial<Settings>
  text: string
  /** What the text leaves out: a derivation, or where to read on. */
  more?: string
  steps: readonly LessonStep[]
  /** What to look at in each place. */
  look: Partial<Record<PlaceName, string>>
  /** The expected observation, in one sentence. */
  expected: string
  variations: readonly Variation[]
  /** Sections of the page that the lesson uses; a link to it hides the others. */
  needs: readonly Section[]
  observe: (view: RunView) => Observation
}

/** Where to look: the text of a link, its address, and what to look at there. */
export function lessonPlaces({ look }: Lesson): { name: string; place: string; text: string }[] {
  return Object.entries(look).map(([name, text]) => ({ name, place: PLACES[name as PlaceName], text }))
}

export function lessonSettings({ preset, difference }: Lesson): Settings {
  return parseSettings(difference, preset)
}

/** The settings that the lesson sets, changes or tries. */
export function lessonControls({ difference, steps, variations }: Lesson): ReadonlySet<keyof Settings> {
  const changes = [difference, ...steps.map(({ change }) => change ?? {}), ...variations.map(({ change }) => change)]
  return new Set(changes.flatMap((change) => Object.keys(change) as (keyof Settings)[]))
}

/** The settings that make a run one of the lesson's: those it changes, and those that set its preset apart. */
function decisiveNames(lesson: Lesson): (keyof Settings)[] {
  const names: (keyof Settings)[] = ['world', 'profile', ...(Object.keys(lesson.difference) as (keyof Settings)[])]
  return lesson.preset === 'reference' ? [...names, 'rewardGrouping'] : names
}

/** Whether a run with these settings is one of the lesson's. */
export function areSettingsOf(lesson: Lesson, settings: Settings): boolean {
  const wanted = lessonSettings(lesson)
  return decisiveNames(lesson).every((name) => settings[name] === wanted[name])
}

export function isRunOf(lesson: Lesson, view: RunView): boolean {
  return view.started !== null && areSettingsOf(lesson, view.started.settings)
}

/** The lesson's observation in a run; never made in a run with other settings. */
export function observe(lesson: Lesson, view: RunView): Observation {
  if (view.started === null) return { isMade: false, evidence: 'You have not started a run yet.' }
  if (!isRunOf(lesson, view))
    return { isMade: false, evidence: 'The current run has other settings. Set up this lesson and start a new run.' }
  return lesson.observe(view)
}
