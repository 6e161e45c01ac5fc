import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { runLabel, type RunFacts } from '../../../src/playground/run/run-label.ts'

const facts: RunFacts = { kind: 'shipped', state: 'paused', settings: presetSettings(), iteration: 14, length: 40 }

describe('the label of a run', () => {
  it('says whose it is, its world, its λ and its iteration', () => {
    expect(runLabel(facts)).toEqual({
      kind: 'Recorded run',
      world: 'Household',
      signal: 'λ = 1',
      iteration: 'Iteration 14 of 40',
    })
    expect(runLabel({ ...facts, kind: 'browser' }).kind).toBe('Kept run')
    expect(runLabel({ ...facts, kind: 'file' }).kind).toBe('Run from a file')
    expect(runLabel({ ...facts, worldName: 'Key and chest' }).world).toBe('Key and chest')
  })

  it('says nothing of the run on show while another one loads', () => {
    expect(runLabel({ ...facts, kind: 'loading' })).toEqual({
      kind: 'Loading a run',
      world: '',
      signal: '',
      iteration: '',
    })
  })

  it('names the feedback where λ has no part in it', () => {
    const settings = presetSettings()
    expect(runLabel({ ...facts, settings: { ...settings, signal: 'outcome' } }).signal).toBe('R = O')
    expect(runLabel({ ...facts, settings: { ...settings, signal: 'step' } }).signal).toBe('R = mean S')
  })

  it('says that your run has ended, and how far it was meant to go', () => {
    expect(runLabel({ ...facts, kind: 'live', state: 'open', iteration: 3, length: 6 }).iteration).toBe(
      'Iteration 3 of 6',
    )
    expect(runLabel({ ...facts, kind: 'live', state: 'ended', iteration: 6, length: 6 }).iteration).toBe(
      'Iteration 6 of 6, ended',
    )
    expect(runLabel({ ...facts, kind: 'live', state: 'open', iteration: null, settings: null })).toEqual({
      kind: 'Your run',
      world: '',
      signal: '',
      iteration: 'no iteration yet',
    })
  })
})
