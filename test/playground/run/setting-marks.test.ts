import { expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { settingMarks } from '../../../src/playground/run/setting-marks.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { fakeRun } from '../fake-run.ts'

it('a changed setting is marked at the first iteration that has it, several together by their number', () => {
  const events = [...fakeRun({ iterations: 4 })].filter(isLogged)
  const change = (iteration: number, patch: object) => ({ type: 'settings-changed', iteration, patch }) as LoggedEvent
  const run = (changes: LoggedEvent[]) =>
    foldRun(
      events.flatMap((event) =>
        event.type === 'iteration-started'
          ? [...changes.filter(({ iteration }) => iteration === event.iteration), event]
          : [event],
      ),
    )
  expect(settingMarks(run([]))).toEqual([])
  const changes = [
    change(3, { lambda: 4 }),
    change(3, { lambda: 2 }),
    change(4, { trainPolicy: false }),
    change(4, { alphaLow: 0.1 }),
  ]
  expect(settingMarks(run(changes))).toEqual([
    { iteration: 3, text: 'λ = 2' },
    { iteration: 4, text: '2 settings' },
  ])
  const replaced = (iteration: number) =>
    ({ type: 'model-replaced', role: 'reward', model: 'another', iteration }) as LoggedEvent
  expect(settingMarks(run([replaced(2), replaced(3), change(3, { lambda: 2 })]))).toEqual([
    { iteration: 2, text: 'Reward model replaced' },
    { iteration: 3, text: '2 changes' },
  ])
})
