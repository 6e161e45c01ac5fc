import { describe, expect, it } from 'vitest'
import { NoProblemsError } from '../../src/worlds/coding/problem-source.ts'
import { NoGamesError } from '../../src/worlds/household/library/imported-games.ts'
import { presetSettings } from '../../src/method/presets.ts'
import { OpeningError } from '../../src/sessions/failures.ts'
import { openingError } from '../../src/sessions/opening-failure.ts'

const household = presetSettings('household')
const coding = presetSettings('coding')

describe('the explanation of a world that cannot be opened', () => {
  it.each([
    [
      household,
      false,
      new NoGamesError('No games.'),
      'household',
      'Import or make them under Set up, Games and problems, or choose generated rooms',
    ],
    [household, true, new NoGamesError('No games.'), 'household', 'then reload the page and resume the run'],
    [household, false, new Error('Broken.'), 'household', 'Reload the page and start the run again; generated rooms'],
    [
      coding,
      false,
      new NoProblemsError('None.'),
      'coding problems',
      'Import a file of problems under Set up, Games and problems, or set',
    ],
    [coding, true, new NoProblemsError('None.'), 'coding problems', 'then reload the page and resume the run'],
    [coding, false, new Error('Broken.'), 'coding problems', 'start the run again; generated problems need no import'],
  ])('is what happened, why, and what to do (%#)', (settings, isResumed, cause, what, remedy) => {
    const error = openingError({ settings, isResumed }, cause)
    expect(error).toBeInstanceOf(OpeningError)
    expect(error.cause).toBe(cause)
    expect(error.failure.what).toContain(what)
    expect(error.failure.why).toBe(cause.message)
    expect(error.failure.remedy).toContain(remedy)
  })

  it('recognises an error of another thread by its name', () => {
    const cause = Object.assign(new Error('No games.'), { name: 'NoGamesError' })
    expect(openingError({ settings: household, isResumed: false }, cause).failure.remedy).toContain(
      'under Set up, Games and problems',
    )
  })
})
