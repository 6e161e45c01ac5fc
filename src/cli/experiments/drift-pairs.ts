/**
 * Pairs of tasks of which it is known whether they mean the same, to measure distances with. Of the household's goals every one has
 * two sentences in this world, and one element of it can be changed; a problem has a paraphrase (drift-paraphrases.ts) and rewrites,
 * which never mean the same (rewrites.ts); what the author wrote is in the recorded runs.
 */
import { generateTask } from '../../worlds/coding/problems/generator.ts'
import { applyRewrite, possibleRewrites } from '../../worlds/coding/problems/rewrites.ts'
import { goalSentence, taskTypes, type Goal } from '../../worlds/household/engine/game.ts'
import { isSensibleGoal } from '../../worlds/household/scenes/goals.ts'
import { hashOf, pick, seededRandom, type Random } from '../../worlds/random.ts'
import type { RunView } from '../../runs/fold.ts'
import type { Task } from '../../method/ports.ts'
import { paraphraseOf } from './drift-paraphrases.ts'

export type Pair = readonly [string, string]

/** The first set should be nearer than the second. */
export interface Contrast {
  name: string
  near: readonly Pair[]
  far: readonly Pair[]
  /** Whether a distance is chosen by it: near means the same, far does not. */
  isParaphrase: boolean
}

/** Problems beside those of the run. */
const MORE_PROBLEMS = 600
const DRAWS = 200

export function originalsOf(view: RunView): Task[] {
  return [...view.tasks.values()].flatMap(({ task, origin }) => (origin === null ? [task] : []))
}

interface Rewrite {
  root: Task
  task: Task
}

/** Candidates whose text is another than that of the task as it was drawn. */
export function recordedRewrites(view: RunView): Rewrite[] {
  return [...view.tasks.values()].flatMap(({ task, origin }) => {
    const root = view.tasks.get(task.rootId)?.task
    return origin !== null && root && root.instruction !== task.instruction ? [{ root, task }] : []
  })
}

// ------------------------------------------------------------------------------------------------ household

interface Phrased {
  goal: Goal
  phrasing: 0 | 1
}

export function householdContrasts(view: RunView): Contrast[] {
  const random = seededRandom('drift pairs')
  const tasks = originalsOf(view).map(({ instruction }) => phrasedGoal(instruction))
  const objects = [...new Set(tasks.map(({ goal }) => goal.object))]
  const targets = [...new Set(tasks.map(({ goal }) => goal.target))]
  const paraphrases: Pair[] = []
  const hinted: Pair[] = []
  const changed = { object: [] as Pair[], target: [] as Pair[], kind: [] as Pair[] }
  const others = { same: [] as Pair[], other: [] as Pair[] }
  for (const { goal, phrasing } of tasks) {
    const text = sentence(goal, phrasing)
    paraphrases.push([text, sentence(goal, phrasing === 0 ? 1 : 0)])
    hinted.push([text, `${text} Hint: the ${goal.object} ${1 + (hashOf(text) % 3)} is in ${pick(random, targets)} 1.`])
    const changes = {
      object: () => ({ ...goal, object: pick(random, objects) }),
      target: () => ({ ...goal, target: pick(random, targets) }),
      kind: () => ({ ...goal, taskType: pick(random, taskTypes) }),
    }
    for (const name of ['object', 'target', 'kind'] as const) {
      const next = otherGoal(goal, changes[name])
      if (next) changed[name].push([text, sentence(next, pick(random, [0, 1]))])
    }
    const other = pick(random, tasks)
    others[other.goal.taskType === goal.taskType ? 'same' : 'other'].push([text, sentence(other.goal, other.phrasing)])
  }
  const rewrites = recordedRewrites(view)
  const isKept = ({ root, task }: Rewrite) =>
    isSameGoal(phrasedGoal(root.instruction).goal, phrasedGoal(task.instruction).goal)
  const oneElement = Object.values(changed).flat()
  return [
    { name: 'paraphrase < other object', near: paraphrases, far: changed.object, isParaphrase: true },
    { name: 'paraphrase < other target', near: paraphrases, far: changed.target, isParaphrase: true },
    { name: 'paraphrase < other kind', near: paraphrases, far: changed.kind, isParaphrase: true },
    { name: 'hint added < goal changed', near: hinted, far: oneElement, isParaphrase: false },
    {
      name: 'one element < random task',
      near: oneElement,
      far: [...others.same, ...others.other],
      isParaphrase: false,
    },
    { name: 'same kind < other kind', near: others.same, far: others.other, isParaphrase: false },
    {
      name: 'recorded: goal kept < changed',
      near: textsOf(rewrites.filter(isKept)),
      far: textsOf(rewrites.filter((rewrite) => !isKept(rewrite))),
      isParaphrase: false,
    },
  ]
}

const sentence = (goal: Goal, phrasing: 0 | 1) => `${goalSentence(goal, phrasing)}.`
const textsOf = (rewrites: readonly Rewrite[]): Pair[] =>
  rewrites.map(({ root, task }) => [root.instruction, task.instruction])

const PATTERNS = taskTypes.flatMap((taskType) =>
  ([0, 1] as const).map((phrasing) => ({
    taskType,
    phrasing,
    pattern: new RegExp(`^${goalSentence({ taskType, object: '(\\w+)', target: '(\\w+)' }, phrasing)}\\.`),
  })),
)

/** Throws an Error for a text that is no sentence of this world. */
function phrasedGoal(instruction: string): Phrased {
  for (const { taskType, phrasing, pattern } of PATTERNS) {
    const match = pattern.exec(instruction)
    if (match) return { goal: { taskType, object: match[1]!, target: match[2]! }, phrasing }
  }
  throw new Error(`"${instruction}" is no goal of the household world.`)
}

const isSameGoal = (a: Goal, b: Goal) => a.taskType === b.taskType && a.object === b.object && a.target === b.target

function otherGoal(goal: Goal, change: () => Goal): Goal | null {
  for (let draw = 0; draw < DRAWS; draw++) {
    const next = change()
    if (!isSameGoal(goal, next) && isSensibleGoal(next)) return next
  }
  return null
}

// ------------------------------------------------------------------------------------------------ coding

export function codingContrasts(view: RunView): Contrast[] {
  const random = seededRandom('drift pairs')
  const more = Array.from({ length: MORE_PROBLEMS }, (_, i) =>
    generateTask({ seed: hashOf('drift', i), split: 'train' }),
  )
  const paraphrases: Pair[] = []
  const changed: Pair[] = []
  const rewritten: Pair[] = []
  const otherWords = { same: [] as Pair[], other: [] as Pair[] }
  const others = { same: [] as Pair[], other: [] as Pair[] }
  for (const task of more) {
    const text = task.instruction
    paraphrases.push([text, paraphraseOf(task.body.spec!)])
    const rewrites = [...possibleRewrites(task, 'harder'), ...possibleRewrites(task, 'easier')]
    const outcome = rewrites.length === 0 ? null : applyRewrite(task, pick(random, rewrites), 'rewritten')
    if (outcome?.ok) {
      rewritten.push([text, outcome.task.instruction])
      changed.push([text, paraphraseOf(outcome.task.body.spec!)])
    }
    const other = anotherOf(more, task, random)
    const which = other.kind === task.kind ? 'same' : 'other'
    others[which].push([text, other.instruction])
    otherWords[which].push([text, paraphraseOf(other.body.spec!)])
  }
  const originals = originalsOf(view)
  const rewrites = recordedRewrites(view)
  const strangers = rewrites.map(({ root, task }): Pair => {
    const sameKind = originals.filter(({ id, kind }) => kind === root.kind && id !== root.id)
    return [pick(random, sameKind).instruction, task.instruction]
  })
  return [
    { name: 'paraphrase < rewrite of it', near: paraphrases, far: changed, isParaphrase: true },
    { name: 'paraphrase < same kind', near: paraphrases, far: otherWords.same, isParaphrase: true },
    { name: 'paraphrase < other kind', near: paraphrases, far: otherWords.other, isParaphrase: true },
    { name: 'rewrite < same kind', near: rewritten, far: others.same, isParaphrase: false },
    { name: 'same kind < other kind', near: others.same, far: others.other, isParaphrase: false },
    { name: 'recorded rewrite < same kind', near: textsOf(rewrites), far: strangers, isParaphrase: false },
  ]
}

function anotherOf<T>(items: readonly T[], than: T, random: Random): T {
  const item = pick(random, items)
  return item === than ? anotherOf(items, than, random) : item
}
