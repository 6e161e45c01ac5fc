import { expect } from 'vitest'
import type { StartRequest } from '../../src/sessions/loop-service.ts'
import { smallSettings } from '../method/corridor.ts'

export const request = (runId: string, iterations = 2): StartRequest => ({
  runId,
  preset: 'household',
  settings: smallSettings({ evaluateEvery: 0 }),
  iterations,
})

export const until = (condition: () => boolean): Promise<void> => expect.poll(condition).toBe(true)
