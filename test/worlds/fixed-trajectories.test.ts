import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STRENGTHS, type FixedTrajectory } from '../../src/method/judge-evaluation/fixed-trajectory.ts'
import { replay } from '../../src/method/judge-evaluation/replay.ts'
import { CodingEnvironment } from '../../src/worlds/coding/environment.ts'
import { codingTrajectories } from '../../src/worlds/coding/fixed-trajectories.ts'
import { generatedProblems } from '../../src/worlds/coding/problem-source.ts'
import { createEnvironment } from '../../src/worlds/household/create-environment.ts'
import { householdTrajectories } from '../../src/worlds/household/fixed-trajectories.ts'
import { TrajectoryFileError } from '../../src/worlds/stored-trajectories.ts'
import { InThreadJudge } from './coding/in-thread-judge.ts'

const shipped = (world: string) =>
  readFileSync(new URL(`../../public/trajectories/${world}.json`, import.meta.url), 'utf8')
const household = shipped('household')
const coding = shipped('coding')

function hasAllCells(trajectories: readonly FixedTrajectory[]): boolean {
  const cells = new Set(trajectories.map(({ split, strength }) => `${split} ${strength}`))
  return cells.size === 2 * STRENGTHS.length
}

describe('the shipped trajectories', () => {
  it.each([
    ['household', household],
    ['coding', coding],
  ])('of %s are less than 100 kB', (_, text) => {
    expect(text.length).toBeLessThan(100_000)
  })

  it.each([
    { games: 'compact', dialect: 'v2', explainRefusals: false },
    { games: 'full', dialect: 'v2', explainRefusals: true },
    { games: 'compact', dialect: 'v1', explainRefusals: false },
  ] as const)(
    'of the household replay to their stored outcomes and labels with $games games, $dialect',
    async (settings) => {
      const trajectories = householdTrajectories(household, settings.dialect)
      expect(hasAllCells(trajectories)).toBe(true)
      const replayed = await replay(createEnvironment(settings, null), trajectories)
      expect(replayed).toHaveLength(trajectories.length)
      const labels = replayed.flatMap(({ episode }) => episode.steps.map(({ trueLabel }) => trueLabel))
      expect(labels).toContain(1)
      expect(labels).toContain(-1)
      expect(new Set(replayed.map(({ episode }) => episode.outcome)).size).toBe(2)
    },
  )

  it('of the coding world replay, and have a right and a wrong program for every problem', async () => {
    const trajectories = codingTrajectories(coding)
    expect(hasAllCells(trajectories)).toBe(true)
    const environment = new CodingEnvironment({ judge: new InThreadJudge(), problems: generatedProblems() })
    const replayed = await replay(environment, trajectories)
    for (const id of new Set(trajectories.map(({ task }) => task.id))) {
      const programs = replayed.filter(({ trajectory }) => trajectory.task.id === id)
      expect(new Set(programs.map(({ episode }) => episode.outcome)).size, id).toBe(2)
    }
  })
})

describe('a file of trajectories', () => {
  it.each([
    ['no JSON', '{', /not JSON/],
    ['another world', coding, /of the world coding/],
    ['a wrong outcome', household.replace('"outcome":1', '"outcome":2'), /tasks\.\d+\.trajectories\.\d+\.outcome/],
  ])('is refused for %s, with what to do', (_, text, why) => {
    const read = () => householdTrajectories(text, 'v2')
    expect(read).toThrow(TrajectoryFileError)
    expect(read).toThrow(why)
    expect(read).toThrow(/npm run pretrain -- --trajectories/)
  })
})
