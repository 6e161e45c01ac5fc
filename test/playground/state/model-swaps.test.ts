import { describe, expect, it } from 'vitest'
import { ModelSwaps } from '../../../src/playground/state/model-swaps.svelte.ts'
import { swapSentence } from '../../../src/playground/shell/swap/words.ts'
import type { SwapRequest, SwapResult } from '../../../src/sessions/loop-service.ts'

const REQUEST: SwapRequest = { role: 'reward', source: { kind: 'built-in', isEarly: true } }
const TOLD = { runId: 'a', model: 'household-reward-early', iteration: 5 }

describe('swaps of models in the run of this tab', () => {
  it('say what waits, and then what became of it', async () => {
    let answer = (_result: SwapResult) => {}
    const swaps = new ModelSwaps(() => new Promise((resolve) => (answer = resolve)))
    expect(swaps.of('reward', 'a')).toBeNull()
    const asked = swaps.ask(REQUEST, TOLD)
    const sentence = () => swapSentence('reward', swaps.of('reward', 'a')!)
    expect(sentence()).toBe('From iteration 5: household-reward-early. It is loaded when this iteration ends.')
    expect(swaps.of('policy', 'a')).toBeNull()
    answer({ state: 'kept', why: 'The server does not answer.' })
    await asked
    expect(sentence()).toBe('The run keeps its model. The server does not answer.')
    expect(swaps.of('reward', 'another run')).toBeNull()
  })

  it('leave out a choice that another has replaced', async () => {
    const answers: ((result: SwapResult) => void)[] = []
    const swaps = new ModelSwaps(() => new Promise((resolve) => answers.push(resolve)))
    const first = swaps.ask(REQUEST, TOLD)
    const second = swaps.ask({ role: 'reward', source: { kind: 'built-in' } }, { ...TOLD, model: 'household-reward' })
    answers[0]!({ state: 'dropped' })
    await first
    expect(swaps.of('reward', 'a')).toMatchObject({ model: 'household-reward', result: 'waiting' })
    answers[1]!({ state: 'swapped' })
    await second
    expect(swapSentence('reward', swaps.of('reward', 'a')!)).toBe('Reward model: household-reward plays in the run.')
  })
})
