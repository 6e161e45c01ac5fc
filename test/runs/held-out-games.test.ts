import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { EpisodeFinished, LoggedEvent } from '../../src/method/events.ts'
import type { Outcome } from '../../src/method/ports.ts'
import { heldOutExcerpt } from '../../src/runs/held-out-excerpt.ts'
import { heldOutPairs, HeldOutReader, tellingPair, usualChange } from '../../src/runs/held-out-games.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'

const shipped = (name: string): LoggedEvent[] =>
  parseRunLog(gunzipSync(readFileSync(new URL(`../../public/runs/${name}.jsonl.gz`, import.meta.url))).toString())

function gamesOf(events: readonly LoggedEvent[]) {
  const reader = new HeldOutReader()
  for (const event of events) reader.take(event)
  return reader.games()
}

/** An evaluation at both temperatures of tasks a, b, c, ...; only the greedy one has the given outcomes. */
function evaluation(iteration: number, outcomes: readonly Outcome[]): LoggedEvent[] {
  const pass = (name: string, serves: 'training' | 'evaluation', each: readonly Outcome[]): object[] => [
    ...each.map((outcome, i) => ({
      type: 'episode',
      episodeId: `e${iteration}/${name}/${i}`,
      taskId: 'abcdef'[i],
      split: 'id',
      rollout: 0,
      policyVersion: iteration,
      instruction: '',
      opening: '',
      steps: [],
      outcome,
    })),
    {
      type: 'evaluation',
      split: 'id',
      policyVersion: iteration,
      acc: 0,
      episodes: each.length,
      temperature: serves === 'training' ? 1 : 0,
      serves,
    },
  ]
  const events = [
    ...pass(
      'id',
      'training',
      outcomes.map((outcome): Outcome => (outcome === 1 ? -1 : 1)),
    ),
    ...pass('id@0', 'evaluation', outcomes),
  ]
  return events.map((event, seq) => ({ ...event, seq, iteration })) as LoggedEvent[]
}

const changes = (before: readonly Outcome[], after: readonly Outcome[]) => {
  const [first, latest] = gamesOf([...evaluation(0, before), ...evaluation(10, after)])
  return heldOutPairs(first!, latest!)
}

describe('the held-out games of a run', () => {
  it('are the greedy ones of its first and its latest evaluation', () => {
    const games = gamesOf([...evaluation(0, [1, -1]), ...evaluation(10, [1, 1]), ...evaluation(20, [-1, 1])])
    expect(games.map(({ policyVersion }) => policyVersion)).toEqual([0, 20])
    expect(games.map(({ temperature }) => temperature)).toEqual([0, 0])
    expect(games.map(({ episodes }) => episodes.map(({ outcome }) => outcome))).toEqual([
      [1, -1],
      [-1, 1],
    ])
    expect(gamesOf(evaluation(0, [1])).length).toBe(1)
    expect(gamesOf([])).toEqual([])
  })

  it('leave out an evaluation that was interrupted', () => {
    const cut = evaluation(10, [1, 1]).slice(0, 4)
    const again: LoggedEvent = {
      type: 'iteration-started',
      taskIds: [],
      pendingTaskIds: [],
      seq: 0,
      iteration: 10,
    } as unknown as LoggedEvent
    const [, latest] = gamesOf([...evaluation(0, [1, -1]), ...cut, again, ...evaluation(10, [-1, -1])])
    expect(latest!.episodes.map(({ outcome }) => outcome)).toEqual([-1, -1])
  })

  it('are paired by task, and the first that changed as most did is shown first', () => {
    const pairs = changes([1, 1, -1, -1, -1], [1, -1, 1, 1, -1])
    expect(pairs.map(({ change }) => change)).toEqual(['both', 'worse', 'better', 'better', 'neither'])
    expect(tellingPair(pairs)!.before.taskId).toBe('c')
    expect(usualChange(changes([1, -1], [-1, 1]))).toBe('worse')
    expect(usualChange(changes([1, -1], [1, -1]))).toBeNull()
    expect(tellingPair(changes([1, -1], [1, -1]))!.before.taskId).toBe('a')
    expect(tellingPair([])).toBeNull()
  })
})

describe('the shipped comparisons', () => {
  it.each(['household', 'desktop'])('have every task of both evaluations, as accurate as they say, in %s', (world) => {
    const events = shipped(`${world}-before-after`)
    const [before, after] = gamesOf(events)
    const accuracy = (episodes: readonly EpisodeFinished[]) =>
      episodes.filter(({ outcome }) => outcome === 1).length / episodes.length
    const evaluations = events.filter((event) => event.type === 'evaluation')
    expect([accuracy(before!.episodes), accuracy(after!.episodes)]).toEqual(evaluations.map(({ acc }) => acc))
    expect(heldOutPairs(before!, after!).length).toBe(evaluations[0]!.episodes)
    // An excerpt of an excerpt is the same.
    expect(heldOutExcerpt(events, 'id')).toEqual(events)
    expect(heldOutExcerpt(events, 'ood')!.map(({ type }) => type)).toEqual(['run-started'])
  })
})
