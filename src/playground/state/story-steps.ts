/** The story: the method in six steps, one idea each, and the lessons that are exercises behind a step. */

export interface Exercise {
  id: string
  /** The lesson's own, which the first load leaves out. */
  title: string
}

export const STORY_STEPS = [
  {
    id: 'outcome',
    title: 'An outcome alone says little',
    idea: 'A policy tried one task eight times. Each try ends solved or not, and that is all that an outcome tells the steps in between.',
    exercises: [{ id: 'sparse', title: 'An outcome alone says little' }],
  },
  {
    id: 'votes',
    title: 'Votes, and λ',
    idea: 'A reward model votes on every step. Integrated feedback adds the mean of its votes to the outcome, with weight λ.',
    exercises: [
      { id: 'lambda', title: 'What λ does, up to reward hacking' },
      { id: 'region-help', title: 'Where the judge helps' },
    ],
  },
  {
    id: 'judge',
    title: 'Who judges the judge?',
    idea: 'Nobody labels steps. Consistency feedback R · S trains a vote towards the outcome: votes that agree with $R$ are encouraged.',
    exercises: [
      { id: 'consistency', title: 'What consistency feedback teaches' },
      { id: 'released', title: 'The released code beside the formula' },
      { id: 'lies', title: 'A test that lies costs its writer' },
    ],
  },
  {
    id: 'tasks',
    title: 'Tasks move',
    idea: 'A task that all or none of the rollouts solve teaches little. A language model rewrites it, and the rewrite is kept if its accuracy moved towards the middle.',
    exercises: [
      { id: 'acceptance', title: 'Acceptance is noisy when G is small' },
      { id: 'difficulty', title: 'Why difficulty must be balanced' },
    ],
  },
  {
    id: 'loop',
    title: 'The loop',
    idea: 'Two models learn, a third rewrites the tasks, and each is fed by the others. Every arrow carries the number of the last iteration.',
    exercises: [
      { id: 'ablations', title: 'One component at a time' },
      { id: 'out-of-distribution', title: 'What is learned, and how far it carries' },
    ],
  },
  {
    id: 'breaks',
    title: 'What breaks',
    idea: 'A policy can learn to please its judge, a judge to agree with itself, and tasks can drift. Outcomes hold the loop together.',
    exercises: [
      { id: 'region-please', title: 'Where the policy pleases its judge' },
      { id: 'region-collapse', title: 'Where the judge collapses' },
      { id: 'collapse', title: 'When the reward model collapses to −1' },
      { id: 'region-false-tests', title: 'Where false tests pay' },
    ],
  },
] as const

export type StoryStep = (typeof STORY_STEPS)[number]
export type StoryStepId = StoryStep['id']

/** The end of the step's address, and the id of its part of the page (views.ts). */
export function storyPart(id: StoryStepId): string {
  return `story-${id}`
}

export function storyAddress(id: StoryStepId): string {
  return `#${storyPart(id)}`
}

/** Where a lesson is an exercise; null for another id. */
export function stepOfLesson(lesson: string): { step: StoryStep; number: number } | null {
  const index = STORY_STEPS.findIndex(({ exercises }) => exercises.some(({ id }) => id === lesson))
  return index < 0 ? null : { step: STORY_STEPS[index]!, number: index + 1 }
}
