import { expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { settingMarks } from '../../../src/playground/run/setting-marks.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { fakeRun } from '../fake-run.ts'

const events = [...fakeRun({ iterations: 4 })].filter(isLogged)
const change = (iteration: number, patch: object) => ({ type: 'settings-changed', iteration, patch }) as LoggedEvent
const replaced = (iteration: number, model: string) =>
  ({ type: 'model-replaced', role: 'reward', model, iteration }) as LoggedEvent
const run = (changes: LoggedEvent[]) =>
  foldRun(
    events.flatMap((event) =>
      event.type === 'iteration-started'
        ? [...changes.filter(({ iteration }) => iteration === event.iteration), event]
        : [event],
    ),
  )

it('a changed setting is marked at the first iteration that has it, several together by their number', () => {
  expect(settingMarks(run([]))).toEqual([])
  const changes = [
    change(3, { lambda: 4 }),
    change(3, { lambda: 2 }),
    change(4, { trainPolicy: false }),
    change(4, { alphaLow: 0.1 }),
  ]
  expect(settingMarks(run(changes))).toEqual([
    { iteration: 3, text: 'λ = 2', title: 'λ = 2' },
    { iteration: 4, text: '2 settings', title: 'Train the policy = off; α_low = 0.1' },
  ])
})

it('a replaced model is named, without its path beside its mark and with its role in the title', () => {
  const long = 'models/of-mine/SmolLM2-135M-Instruct-q0f32-MLC/'
  expect(
    settingMarks(run([replaced(2, 'household-reward'), replaced(3, long), change(4, { lambda: 2 }), replaced(4, 'b')])),
  ).toEqual([
    { iteration: 2, text: 'household-reward', title: 'Reward model: household-reward' },
    { iteration: 3, text: 'SmolLM2-135M-Instruct-q0f32-MLC', title: `Reward model: ${long}` },
    { iteration: 4, text: '2 changes', title: 'Reward model: b; λ = 2' },
  ])
})
