/** What a run starts with, apart from who plays its roles. Links, plans and the controls share it. */
import type { Settings } from '../../method/settings.ts'
import type { BackendWish } from '../../sessions/loop-service.ts'

export interface Configuration {
  preset: string
  /** Complete and valid. */
  settings: Settings
  backend: BackendWish
  iterations: number
}

export const DEFAULT_ITERATIONS = 1000
export const MOST_ITERATIONS = 1_000_000
