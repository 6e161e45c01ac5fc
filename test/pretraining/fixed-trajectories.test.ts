import { describe, expect, it } from 'vitest'
import { replay } from '../../src/method/judge-evaluation/replay.ts'
import { playTrajectories, type TrajectoryWorld } from '../../src/pretraining/fixed-trajectories.ts'
import { readTrajectories, writeTrajectories } from '../../src/worlds/stored-trajectories.ts'
import { CorridorEnvironment, FakeModel, formats } from '../method/corridor.ts'

/** Corridors of one to three cells, by seed. */
const taskOf: TrajectoryWorld['taskOf'] = ({ split, seed }) => {
  const id = `${split}-${seed}`
  return { id, rootId: id, instruction: '', kind: 'corridor', body: { length: 1 + (seed % 3) } }
}
const corridors = (more: Partial<TrajectoryWorld> = {}): TrajectoryWorld => ({
  ...{
    world: 'corridor',
    maxSteps: 4,
    tasks: 3,
    rollouts: 2,
    environment: new CorridorEnvironment([1]),
    formats,
    taskOf,
  },
  isUseful: () => true,
  ...more,
})
const walker = (skill: number) => ({
  model: new FakeModel(skill, (_, level, uniform) => (uniform() < level ? 'forward' : 'wait')),
  temperature: 1,
})
const policies = () => ({ weak: walker(0), middling: walker(0.5), strong: walker(1) })

describe('fixed trajectories', () => {
  it('are played by every policy in the same tasks of both splits, and equal ones are kept once', async () => {
    const tasks = await playTrajectories(corridors(), policies(), 0)
    expect(tasks.map(({ split }) => split)).toEqual(['id', 'id', 'id', 'ood', 'ood', 'ood'])
    for (const { seed, trajectories } of tasks) {
      const of = (strength: string) => trajectories.filter((trajectory) => trajectory.strength === strength)
      expect(of('weak')).toEqual([
        { strength: 'weak', outcome: -1, labels: '----', responses: Array.from({ length: 4 }, () => 'wait') },
      ])
      const length = 1 + (seed % 3)
      for (const strong of of('strong')) expect(strong).toMatchObject({ outcome: 1, labels: '+'.repeat(length) })
      expect(new Set(trajectories.map(({ responses }) => responses.join(' '))).size).toBe(trajectories.length)
    }
  })

  it('replay from their file', async () => {
    const tasks = await playTrajectories(corridors(), policies(), 0)
    const text = writeTrajectories({ world: 'corridor', maxSteps: 4, tasks })
    const read = readTrajectories(text, { world: 'corridor', taskOf, commandOf: (response) => response })
    expect(read).toHaveLength(tasks.flatMap(({ trajectories }) => trajectories).length)
    const replayed = await replay(new CorridorEnvironment([1]), read)
    expect(replayed.map(({ episode }) => episode.outcome)).toEqual(read.map(({ outcome }) => outcome))
  })

  it('leave out useless tasks for the next ones, and say when there are too few', async () => {
    const isLong: TrajectoryWorld['isUseful'] = (played) => played.some(({ labels }) => labels === '+++')
    const tasks = await playTrajectories(corridors({ isUseful: isLong }), policies(), 0)
    expect(tasks.map(({ seed }) => seed % 3)).toEqual([2, 2, 2, 2, 2, 2])
    await expect(playTrajectories(corridors({ isUseful: () => false }), policies(), 0)).rejects.toThrow(
      /Only 0 of 60 tasks of the split id/,
    )
  })
})
