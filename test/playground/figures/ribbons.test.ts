import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LAMBDA_STOPS } from '../../../src/playground/run/lambda-stops.ts'
import { equationValues } from '../../../src/playground/figures/equation/equation-values.ts'
import { falseTestsPassed, ribbons, verdict } from '../../../src/playground/figures/ribbons.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { tellingEpisode } from '../../../src/runs/telling-episode.ts'

const shipped = (world: string) => {
  const file = new URL(`../../../public/runs/${world}-episode.jsonl.gz`, import.meta.url)
  const view = foldRun(parseRunLog(gunzipSync(readFileSync(file)).toString()))
  const telling = tellingEpisode(view)!
  const written = view.testsFor(telling.iteration.iteration, telling.group.taskId)?.written.tests ?? []
  return { telling, written }
}
const household = shipped('household')
const coding = shipped('coding')
const sentence = ({ start, action, effect, end }: ReturnType<typeof verdict>) =>
  `${start}${action === '' ? '' : ` “${action}”`} is ${effect} ${end}`

describe('the ribbons of an episode', () => {
  it('have at the λ of the run the advantages that the loop logged', () => {
    const { telling } = household
    const { own, others } = ribbons(telling, telling.settings.lambda)
    const rows = [{ trajectory: telling.trajectory, tiles: own }, ...others]
    expect(rows).toHaveLength(telling.group.episodes.length)
    for (const { trajectory, tiles } of rows) {
      const { policyAdvantages, episode } = telling.group.episodes[trajectory]!
      expect(tiles).toHaveLength(episode.steps.length)
      tiles.forEach(({ advantage }, step) => {
        const logged = policyAdvantages![step] ?? null
        if (logged === null) expect(advantage).toBeNull()
        // The published log has four decimals.
        else expect(Math.abs(advantage! - logged)).toBeLessThan(1e-4)
      })
    }
  })

  it('mark the telling step, and a tile whose sign differs from the one at λ = 0', () => {
    const flippedAt = (lambda: number) => ribbons(household.telling, lambda).own.filter(({ isFlipped }) => isFlipped)
    expect(flippedAt(0)).toEqual([])
    expect(flippedAt(1).filter(({ isTelling }) => isTelling)).toHaveLength(1)
    const tile = ribbons(household.telling, 1).own.find(({ isTelling }) => isTelling)!
    expect(tile.label).toBe('Step 4: cool mug 1 to fridge 1. votes −1 −1 −1, R 0.00, advantage −0.83, discouraged')
  })

  it('have a tile for each program and no other rollouts, where programs are tested', () => {
    const { own, others, outcome } = ribbons(coding.telling, 1)
    expect(own).toHaveLength(coding.telling.group.episodes.length)
    expect(others).toEqual([])
    expect(outcome).toBeNull()
    expect(own[0]!.action).toBe('wrong, passes 15 of 16')
  })
})

describe('the sentence about the telling step', () => {
  it('says at each λ what happens to it', () => {
    const at = (lambda: number) => sentence(verdict(household.telling, lambda, 'Nothing happens.', 0))
    expect(at(0)).toBe('At λ = 0, step 4 “cool mug 1 to fridge 1” is encouraged although nothing happened.')
    expect(at(1)).toBe(
      'At λ = 1, step 4 “cool mug 1 to fridge 1” is discouraged because nothing happened and the votes say so.',
    )
    expect(at(0.5)).toContain('At λ = ½')
  })

  it('counts the false tests that a wrong program passes', () => {
    const { telling, written } = coding
    const passed = falseTestsPassed(telling, written)
    expect(sentence(verdict(telling, 0, null, passed))).toBe('At λ = 0, program 1 is discouraged because it is wrong.')
    expect(sentence(verdict(telling, 1, null, passed))).toBe(
      'At λ = 1, program 1 is encouraged although it is wrong: it passes 15 false tests.',
    )
  })

  it('says where the run has no step that changes its sign', () => {
    const nearest = { ...household.telling, isFlipping: false }
    expect(verdict(nearest, 0, 'Nothing happens.', 0).problem).toBe(
      'No wasted step of this run changes its sign between λ = 0 and λ = 1; this one comes nearest.',
    )
    expect(verdict(household.telling, 0, 'Nothing happens.', 0).problem).toBe('')
  })
})

describe('the numbers below the equation', () => {
  it('are those of the tile, and satisfy the equation', () => {
    for (const { telling } of [household, coding]) {
      const { group, settings, trajectory, step } = telling
      for (const lambda of LAMBDA_STOPS) {
        const tried = { ...settings, lambda }
        const values = equationValues(group, group.derive(tried), tried, { trajectory, step })
        const number = (text: string | undefined) => Number(text!.replaceAll('−', '-'))
        const votes = group.scores[trajectory]![step]!
        const mean = votes.reduce<number>((sum, vote) => sum + vote, 0) / votes.length
        expect(number(values.R)).toBeCloseTo(number(values.O) + lambda * mean, 1)
        expect(number(values.m)).toBe(votes.length)
        const { advantage } = ribbons(telling, lambda).own.find(({ isTelling }) => isTelling)!
        expect(number(values.A)).toBeCloseTo(advantage!, 1)
        expect(number(values.A)).toBeCloseTo((number(values.R) - number(values.mean)) / number(values.std), 1)
      }
    }
  })
})
