/** The story: the method in six steps, one idea each. */

export const STORY_STEPS = [
  {
    id: 'outcome',
    title: 'An outcome alone says little',
    idea: 'A policy tried one task eight times. Each try ends solved or not, and that is all that an outcome tells the steps in between.',
    exercise: 'sparse',
  },
  {
    id: 'votes',
    title: 'Votes, and λ',
    idea: 'A reward model votes on every step. Integrated feedback adds the mean of its votes to the outcome, with weight λ.',
    exercise: 'lambda',
  },
  {
    id: 'judge',
    title: 'Who judges the judge?',
    idea: 'Nobody labels steps. Consistency feedback R · S trains a vote towards the outcome: votes that agree with R are encouraged.',
    exercise: 'consistency',
  },
  {
    id: 'tasks',
    title: 'Tasks move',
    idea: 'A task that all or none of the rollouts solve teaches little. A language model rewrites it, and the rewrite is kept if its accuracy moved towards the middle.',
    exercise: 'acceptance',
  },
  {
    id: 'loop',
    title: 'The loop',
    idea: 'Three learners, each fed by the others. Every arrow carries the number of the last iteration.',
    exercise: 'ablations',
  },
  {
    id: 'breaks',
    title: 'What breaks',
    idea: 'A policy that a judge trains can learn to please the judge instead of solving tasks. Outcomes hold the loop together.',
    exercise: 'region-please',
  },
] as const

export type StoryStepId = (typeof STORY_STEPS)[number]['id']
