import { expect, it } from 'vitest'
import { countVotes, noVoteCounts } from '../../../src/method/step-judging/vote-counts.ts'
import type { EpisodeStep } from '../../../src/method/events.ts'

const step = (trueLabel: 1 | -1 | null): EpisodeStep => ({
  response: 'go',
  thought: '',
  command: 'go',
  observation: 'You go.',
  tokens: [],
  logProbs: [],
  entropies: [],
  trueLabel,
  distance: null,
})
const vote = (score: 1 | -1) => ({ reasoning: '', score })

it('counts votes by the label of their step, and a step without a label as neither good nor bad', () => {
  const counts = noVoteCounts()
  const steps = [step(1), step(-1), step(null)]
  const votes = [[vote(1), vote(-1)], [vote(-1), vote(-1)], [1, 1, 1, 1, -1].map((score) => vote(score as 1 | -1))]
  countVotes(counts, { steps, outcome: 1 }, votes)
  expect(counts).toEqual({
    ...{ goodVotes: 2, goodRight: 1, badVotes: 2, badRight: 2, acceptedBadVotes: 2, acceptedBadRight: 2 },
    outcomeVotesRight: 1,
    // Whether the episode was judged right needs no label.
    ...{ trajectories: 1, outcomesRight: 1 },
  })
})

it('tells bad steps whose command the world accepted from refused ones', () => {
  const counts = noVoteCounts()
  const votes = [[vote(-1)], [vote(1)], [vote(1)], [vote(-1)]]
  countVotes(counts, { steps: [step(-1), step(-1), step(1), step(-1)], outcome: -1 }, votes, new Set([0, 2]))
  expect(counts).toMatchObject({ badVotes: 3, badRight: 2, acceptedBadVotes: 2, acceptedBadRight: 1, goodVotes: 1 })
})
