import { describe, expect, it } from 'vitest'
import { iterationNumbers, loopFlows, numbersUnder } from '../../../../src/playground/views/loop/loop-flows.ts'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseRunLog } from '../../../../src/runs/run-log.ts'
import { foldRun, type RunView } from '../../../../src/runs/fold.ts'
import { recordedHousehold } from '../../recorded-household.ts'
import { WORLDS } from '../../../../src/worlds/index.ts'

const coding = new URL('../../../../public/runs/coding.jsonl.gz', import.meta.url)
const runs: Record<string, RunView> = {
  household: recordedHousehold(),
  coding: foldRun(parseRunLog(gunzipSync(readFileSync(coding)).toString())),
}

describe('the numbers of the loop under another λ', () => {
  it.each(['household', 'coding'])('are those of the log, which rounds, under its own, in the %s', (world) => {
    const view = runs[world]!
    const own = iterationNumbers(view.current!, view.settings!)
    const derived = numbersUnder(view, view.current!, view.settings!)
    for (const [name, value] of Object.entries(own) as [keyof typeof own, number | null][]) {
      if (value === null) expect(derived[name], name).toBe(null)
      else expect(derived[name], name).toBeCloseTo(value, 4)
    }
  })

  it('are the outcome’s alone at λ = 0, in the picture too', () => {
    const view = runs.household!
    const settings = { ...view.settings!, lambda: 0 }
    const steps = view.current!.episodes.flatMap(({ episode }) => episode.steps.map(() => episode.outcome as number))
    const mean = steps.reduce((sum, outcome) => sum + outcome, 0) / steps.length
    expect(numbersUnder(view, view.current!, settings).meanFeedback).toBeCloseTo(mean, 9)
    const lambda = view.settings!.lambda.toFixed(1)
    expect(loopFlows(view, 'household', 0).numbers.lambda).toBe('0.0')
    expect(loopFlows(view, 'household').numbers.lambda).toBe(lambda)
    expect(loopFlows(view, 'household').junction.numbers[0]).toEqual({ id: 'lambda', text: `λ = ${lambda}` })
  })
})

describe('how good the reward model is', () => {
  const { reward } = WORLDS.desktop.flows
  const known = (values: Record<string, string>) => (metric: string) => values[metric] ?? null

  it('is said of good and bad steps that never change, of the accepted bad ones if they were counted', () => {
    expect(loopFlows(runs.household!).rewardLine).toMatch(/^\d+ % of good, \d+ % of bad steps right$/)
    const counted = { 'judge/good_acc': '94 %', 'judge/bad_acc': '80 %', 'reward/process_acc': '77 %' }
    expect(reward(known(counted))).toBe('94 % of good, 80 % of bad steps right')
    expect(reward(known({ ...counted, 'judge/accepted_bad_acc': '60 %' }))).toBe(
      '94 % of good, 60 % of accepted bad steps right',
    )
  })

  it('is said of the training steps in a run without fixed trajectories', () => {
    expect(reward(known({ 'reward/process_acc': '77 %' }))).toBe('judges 77 % of steps right')
    expect(reward(known({}))).toBe('judges – of steps right')
  })
})
