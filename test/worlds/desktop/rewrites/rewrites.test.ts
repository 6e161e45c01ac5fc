import { describe, expect, it } from 'vitest'
import { startGame } from '../../../../src/worlds/desktop/engine/state.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { isHeldOutCombination, TRAINING_LAYOUTS } from '../../../../src/worlds/desktop/generator/splits.ts'
import { TEMPLATES } from '../../../../src/worlds/desktop/generator/templates.ts'
import { distanceToGoal } from '../../../../src/worlds/desktop/planning/distance.ts'
import { playExpert } from '../../../../src/worlds/desktop/planning/expert.ts'
import { applyRewrite } from '../../../../src/worlds/desktop/rewrites/apply.ts'
import { expertLength, possibleRewrites } from '../../../../src/worlds/desktop/rewrites/candidates.ts'
import { formatRewrite, parseRewrite, type TaskRewrite } from '../../../../src/worlds/desktop/rewrites/language.ts'
import { describeTask, taskOf, type DesktopTask } from '../../../../src/worlds/desktop/task.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'

const LINES = [
  'set name lake.png', 'hint place', 'no hints', 'front Files', 'blank', 'show Pictures', 'add 2', 'remove lake.png',
  'move tree.png to Archive', 'bury Rename', 'raise Rename', 'set text see you',
] // prettier-ignore

const taskFrom = (template: string, isWanted: (task: DesktopTask) => boolean = () => true): DesktopTask => {
  for (let seed = 0; ; seed++) {
    const task = taskOf(generateTask({ seed, split: 'train', templates: [template] }))
    if (isWanted(task)) return task
  }
}

const moving = taskFrom('move-file', ({ game }) => game.missing.length > 0)
const file = moving.game.start.files.find(({ content }) => content === moving.game.wish.parameters['file'])!

/** The refusal's reason, or the new task. */
function rewritten(task: DesktopTask, line: string): DesktopTask | string {
  const outcome = applyRewrite(task, parseRewrite(line)!, 'new')
  return outcome.ok ? outcome.task : outcome.reason
}

describe('rewrites of desktop tasks', () => {
  it('are lines that read back as they are written', () => {
    for (const line of LINES) expect(formatRewrite(parseRewrite(line)!)).toBe(line)
    for (const line of ['', 'set name', 'add many', 'remove lake', 'move tree.png', 'win', 'hint']) {
      expect(parseRewrite(line), line).toBeNull()
    }
  })

  it('write the instruction from what is then verified', () => {
    const folders = moving.game.start.folders.filter((name) => name !== moving.game.pair[1])
    const task = folders.map((name) => rewritten(moving, `set folder ${name!}`)).find((one) => typeof one === 'object')!
    const { game } = task
    expect(game.instruction).toContain(`to ${game.pair[1]}.`)
    expect(game.goal.files.find(({ content }) => content === file.content)!.folder).toBe(
      game.start.folders.indexOf(game.pair[1]),
    )
  })

  it('give a hint that says the truth and ends the search', () => {
    const hinted = rewritten(moving, 'hint place') as DesktopTask
    expect(hinted.game.instruction).toMatch(
      new RegExp(`Hint: ${file.name} is in ${moving.game.start.folders[file.folder]!}\\.$`),
    )
    expect(hinted.game.missing).toEqual([])
    expect(rewritten(hinted, 'hint place')).toBe('no-change')
    expect((rewritten(hinted, 'no hints') as DesktopTask).game.instruction).toBe(moving.game.instruction)
  })

  it('put a needed button into the More menu and take it out again, for one click more and one less', () => {
    const task = taskFrom('style-line', ({ game }) => {
      return game.wish.parameters['style'] === 'heading' && game.layout.nested.includes('heading')
    })
    const word = ['Heading', 'Title', 'Headline'][task.game.layout.words]!
    const length = distanceToGoal(startGame(task.game))
    const raised = rewritten(task, `raise ${word}`) as DesktopTask
    expect(distanceToGoal(startGame(raised.game))).toBe(length - 1)
    expect(rewritten(raised, `raise ${word}`)).toBe('no-change')
    const buried = rewritten(raised, `bury ${word}`) as DesktopTask
    expect(distanceToGoal(startGame(buried.game))).toBe(length)
  })

  it('are refused with the reason', () => {
    const cases: [string, string][] = [
      ['set colour red', 'unknown-name'],
      [`set folder ${moving.game.pair[1]}`, 'no-change'],
      [`set folder ${moving.game.start.folders[file.folder]!}`, 'no-meaning'],
      ['set folder Nowhere', 'no-meaning'],
      ['no hints', 'no-change'],
      ['blank', 'no-change'],
      ['front Games', 'unknown-name'],
      ['show Nowhere', 'unknown-name'],
      ['add 0', 'out-of-range'],
      ['add 9', 'out-of-range'],
      [`remove ${file.name}`, 'needed'],
      ['remove nothing.png', 'unknown-name'],
      [`move ${file.name} to Nowhere`, 'unknown-name'],
      [`move ${file.name} to ${moving.game.start.folders[file.folder]!}`, 'no-change'],
      [`move ${file.name} to ${moving.game.pair[1]}`, 'no-meaning'],
      ['bury Nothing', 'unknown-name'],
      [`bury ${['Delete', 'Remove', 'Discard'][moving.game.layout.words]!}`, 'no-meaning'],
    ]
    for (const [line, reason] of cases) expect(rewritten(moving, line), line).toBe(reason)
    expect(applyRewrite(moving, parseRewrite('front Mail')!, 'new', { stepLimit: 3 })).toMatchObject({
      ok: false,
      reason: 'unplayable',
    })
  })

  it('never ask for the sum of a column of names', () => {
    const task = taskFrom('show-sum')
    const { table, column } = task.game.wish.parameters as { table: number; column: number }
    const { headers } = task.game.desktop.tables[table]!
    const numbers = headers.filter((_, at) => at > 0 && at !== column)
    expect(rewritten(task, `set column ${headers[0]!}`)).toBe('no-meaning')
    expect(numbers.map((name) => rewritten(task, `set column ${name}`))).not.toContain('no-meaning')
  })

  it('add files where all were removed', () => {
    let task = taskFrom('set-level')
    for (const { name } of task.game.start.files) task = rewritten(task, `remove ${name}`) as DesktopTask
    expect(task.game.start.files).toEqual([])
    const filled = rewritten(task, 'add 2') as DesktopTask
    expect(filled.game.start.files.map(({ content }) => content)).toEqual([0, 1])
  })

  it('keep pairs that only ood has out of training tasks', () => {
    const reasons = new Set<string>()
    for (const folder of moving.game.start.folders) {
      for (const other of moving.game.start.files) {
        const task = taskOf({
          ...moving.game,
          wish: { ...moving.game.wish, parameters: { ...moving.game.wish.parameters, file: other.content } },
        })
        const outcome = rewritten(task, `set folder ${folder!}`)
        if (typeof outcome === 'string') reasons.add(outcome)
      }
    }
    expect(reasons.has('held-out')).toBe(true)
  })

  it('keep combinations that only id has out of training tasks', () => {
    const counts = { train: 0, id: 0 }
    for (let seed = 0; seed < 12; seed++) {
      const task = taskOf(generateTask({ seed, split: 'train', templates: ['set-level'] }))
      const { layout, wish } = task.game
      // As the generator names them: words, order and More menu.
      const plan = TRAINING_LAYOUTS.find((each) => each.layout === layout)!
      for (let level = 0; level <= 100; level += 10) {
        const rewrite: TaskRewrite = { kind: 'set', parameter: 'level', value: String(level) }
        const older = applyRewrite(task, rewrite, 'new', { allowsIdTasks: true })
        if (!older.ok) continue
        const [object, target] = older.task.game.pair
        const split = isHeldOutCombination(plan.name, wish.template, object, target) ? 'id' : 'train'
        counts[split]++
        const outcome = applyRewrite(task, rewrite, 'new')
        expect(outcome).toMatchObject(split === 'train' ? { ok: true } : { ok: false, reason: 'held-out' })
        const further = applyRewrite(older.task, { kind: 'front', app: 'Mail' }, 'newer')
        expect(further.ok).toBe(split === 'train')
      }
    }
    expect(Math.min(counts.train, counts.id)).toBeGreaterThan(0)
  })

  it(
    'leave tasks that the expert solves, in both directions, and whose direction is as said',
    { timeout: 60_000 },
    () => {
      let [harder, easier] = [0, 0]
      const kinds = new Set<TaskRewrite['kind']>()
      for (const name of ['move-file', 'set-level', 'style-line', 'insert-picture-impossible']) {
        const task = taskFrom(name)
        const length = expertLength(task)
        for (const direction of ['harder', 'easier'] as const) {
          const all = possibleRewrites(task, direction)
          for (const rewrite of all) kinds.add(rewrite.kind)
          for (const rewrite of all.slice(0, 3)) {
            const outcome = applyRewrite(task, rewrite, `${task.id}/candidate`)
            if (!outcome.ok) throw new Error(outcome.message)
            const { game } = outcome.task
            expect(distanceToGoal(startGame(game))).toBeGreaterThan(1)
            expect(playExpert(game, seededRandom('solve', name)).won, formatRewrite(rewrite)).toBe(true)
            expect(game.evidence === null).toBe(task.game.evidence === null)
            if (rewrite.kind === 'add-files' || rewrite.kind === 'remove-file') continue
            expect(Math.sign(expertLength(outcome.task) - length)).toBe(direction === 'harder' ? 1 : -1)
            if (direction === 'harder') harder++
            else easier++
          }
        }
      }
      expect(Math.min(harder, easier)).toBeGreaterThan(2)
      for (const kind of ['set', 'add-hint', 'front', 'show', 'add-files', 'bury'] as const) {
        expect(kinds.has(kind), kind).toBe(true)
      }
    },
  )

  it('are described to the author with what can be set and where things are', () => {
    const text = describeTask(moving)
    expect(text.split('\n')[0]).toBe(`Goal: ${moving.game.instruction}`)
    expect(text).toContain('\nset: folder\nfront: nothing\n')
    expect(text).toContain(file.name)
    for (const { name, isOodTemplate } of TEMPLATES) {
      const task = taskOf(generateTask({ seed: 0, split: isOodTemplate ? 'ood' : 'train', templates: [name] }))
      expect(describeTask(task).split('\n').length, name).toBeGreaterThan(4)
    }
  })
})
