import { describe, expect, it } from 'vitest'
import type { FixedTrajectory } from '../../../src/method/judge-evaluation/fixed-trajectory.ts'
import { judgeMeasures } from '../../../src/method/judge-evaluation/measures.ts'
import { FakeModel, logOf, ofType, request } from '../corridor.ts'
import { AddingEnvironment, codingSettings, codingWorld, type CodingWorld } from '../test-writing/adding.ts'

/** A right program for every problem with three inputs, one that errs at the last input, and one that cannot run. */
async function fixedPrograms(): Promise<FixedTrajectory[]> {
  const environment = new AddingEnvironment([3])
  const trajectories: FixedTrajectory[] = []
  for (const split of ['id', 'ood'] as const) {
    for (const task of await environment.sampleTasks(split, 3)) {
      const { addend } = task.body as { addend: number }
      const programs = { weak: 'no idea', middling: `${addend}<2`, strong: `${addend}<3` }
      for (const strength of ['weak', 'middling', 'strong'] as const) {
        trajectories.push({
          ...{ id: `${task.id}-${strength}`, split, strength, task, maxSteps: 1 },
          steps: [{ response: programs[strength], command: programs[strength] }],
          ...(strength === 'strong' ? { outcome: 1, labels: '+' } : { outcome: -1, labels: '-' }),
        })
      }
    }
  }
  return trajectories
}

/** Its tests: one that only the right program passes, a true one that the near miss passes too, a false one, and no test. */
function fourTests(): FakeModel {
  let asked = 0
  return new FakeModel(0, (prompt) => {
    const addend = Number(/add (\d+)/u.exec(prompt)![1])
    return [`2:${2 + addend} last`, `0:${addend} first`, '2:0 false', 'unreadable'][asked++ % 4]!
  })
}

async function measured(settings: Parameters<typeof codingSettings>[0], world: CodingWorld) {
  const all = codingSettings({ evaluationsPerStep: 4, evaluateEvery: 1, judgeTasks: 2, ...settings })
  const log = await logOf(world, request(all, { iterations: 2, fixedTrajectories: await fixedPrograms() }))
  return { log, events: ofType(log, 'judge-evaluation') }
}

describe('tests on fixed programs', () => {
  it('count as UT and Detect, by split', async () => {
    const world = { ...codingWorld(), reward: fourTests() }
    const [event] = (await measured({}, world)).events
    expect(event!.tests).toEqual(
      ['id', 'ood'].map((split) => ({ split, utTests: 8, utTrue: 4, detectTests: 8, detecting: 2 })),
    )
    expect(judgeMeasures(event!)).toEqual({ 'judge/ut': 0.5, 'judge/detect': 0.25 })
  })

  it('are a flat line for a frozen reward model, whatever the policy writes, and not for one that learns', async () => {
    const numbers = async (trainReward: boolean) => {
      const settings = { trainReward, rewardAccuracyLow: 0, rewardAccuracyHigh: 1, rewardLearningRate: 0.15 }
      const { events, log } = await measured(settings, codingWorld())
      expect(ofType(log, 'model-updated').some(({ role }) => role === 'policy')).toBe(true)
      return events.map((event) => JSON.stringify(event.tests))
    }
    const frozen = await numbers(false)
    expect(frozen).toHaveLength(3)
    expect(new Set(frozen).size).toBe(1)
    const learning = await numbers(true)
    expect(learning[0]).toBe(frozen[0])
    expect(new Set(learning).size).toBeGreaterThan(1)
  })

  it('are not logged as tests of the run’s own tasks', async () => {
    const { log } = await measured({ evaluationTasks: 0 }, codingWorld())
    expect(ofType(log, 'tests-written').every(({ split }) => split === 'train')).toBe(true)
  })
})
