import { describe, expect, it } from 'vitest'
import type { DesktopGame } from '../../../../src/worlds/desktop/engine/game.ts'
import { startGame } from '../../../../src/worlds/desktop/engine/state.ts'
import { isHeldOutPair } from '../../../../src/worlds/desktop/generator/splits.ts'
import { templateNamed } from '../../../../src/worlds/desktop/generator/templates.ts'
import { NOUNS } from '../../../../src/worlds/desktop/generator/words.ts'
import { OWN_KINDS, tasksOnDesktop, valuesFor, withWords } from '../../../../src/worlds/desktop/own/choose-task.ts'
import { distanceToGoal } from '../../../../src/worlds/desktop/planning/distance.ts'

const SEEDS = [1, 2, 3, 4, 5]

const made = (game: DesktopGame, parameter: string, value: string): DesktopGame => {
  const task = withWords(game, [{ parameter, value }])
  if (typeof task === 'string') throw new Error(task)
  return task
}

describe('the tasks on a desktop', () => {
  it('are of every kind that is trained on, on some desktop', () => {
    for (const kind of OWN_KINDS)
      expect(SEEDS.flatMap((seed) => tasksOnDesktop(kind, seed)).length, kind).toBeGreaterThan(0)
    expect(OWN_KINDS.every((kind) => !templateNamed(kind).isOodTemplate)).toBe(true)
  })

  it('differ in their sentences, can be won, and leave what measures generalisation unseen', () => {
    const ids = new Set<string>()
    for (const kind of OWN_KINDS)
      for (const seed of SEEDS) {
        const tasks = tasksOnDesktop(kind, seed)
        expect(new Set(tasks.map(({ instruction }) => instruction)).size).toBe(tasks.length)
        for (const task of tasks) {
          ids.add(task.id)
          const distance = distanceToGoal(startGame(task))
          expect(distance, task.instruction).toBeGreaterThan(1)
          expect(distance, task.instruction).toBeLessThan(20)
          expect(isHeldOutPair(...task.pair), task.instruction).toBe(false)
          expect(task.origin.split).toBe('train')
        }
      }
    const total = OWN_KINDS.flatMap((kind) => SEEDS.map((seed) => tasksOnDesktop(kind, seed).length))
    expect(ids.size).toBe(total.reduce((a, b) => a + b))
  })

  it('share the desktop of their seed', () => {
    const desktops = OWN_KINDS.filter((kind) => !kind.endsWith('impossible')).flatMap((kind) => {
      const [task] = tasksOnDesktop(kind, 2)
      return task ? [JSON.stringify([task.start, task.layout])] : []
    })
    expect(new Set(desktops).size).toBe(1)
    expect(JSON.stringify(tasksOnDesktop('new-folder', 3)[0]!.start)).not.toBe(
      JSON.stringify(tasksOnDesktop('new-folder', 2)[0]!.start),
    )
  })
})

describe('other words', () => {
  const [rename] = tasksOnDesktop('rename-file', 1)

  it('change the sentence and what is verified', () => {
    expect(rename!.instruction).toBe('rename bear.txt in Archive to boat.txt.')
    const task = made(rename!, 'name', 'zebra.txt')
    expect(task.instruction).toBe('rename bear.txt in Archive to zebra.txt.')
    expect(task.goal.files.map(({ name }) => name)).toContain('zebra.txt')
    expect(task.id).not.toBe(rename!.id)
    expect(distanceToGoal(startGame(task))).toBe(distanceToGoal(startGame(rename!)))
  })

  it('are refused with a sentence', () => {
    const refusal = (parameter: string, value: string) => withWords(rename!, [{ parameter, value }])
    expect(refusal('name', 'Zebra')).toBe('Zebra is no name for this task.')
    expect(refusal('name', 'bear.pdf')).toBe('The task would ask for nothing, or for what is already so.')
    expect(refusal('name', 'boat.txt')).toBe('The name is boat.txt already.')
    expect(refusal('folder', 'Archive')).toBe('There is no folder here.')
    const heldOut = NOUNS.find((noun) => isHeldOutPair('bear', noun))!
    expect(refusal('name', `${heldOut}.txt`)).toBe(`bear with ${heldOut} is kept for measuring generalisation.`)
  })

  it('that are suggested are all accepted, once each', () => {
    for (const kind of OWN_KINDS)
      for (const seed of SEEDS) {
        const [task] = tasksOnDesktop(kind, seed)
        if (!task) continue
        for (const parameter of templateNamed(kind).settable) {
          const values = valuesFor(task, parameter)
          expect(new Set(values).size).toBe(values.length)
          for (const value of values) expect(made(task, parameter, value).wish).not.toEqual(task.wish)
        }
      }
  })
})
