/** Runs before each file of unit tests. */
import fc from 'fast-check'
import { afterAll, vi } from 'vitest'

// Fixes the cases of property tests, so that a test passes always or never. `TEST_SEED=7 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) })

// Files share a process: none leaves stand-ins to the next.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
