/** Episodes as pieces of the prompts that the policy and a judge of steps read (worlds/plain/roles.ts, unless a form says otherwise). */
import type { DemonstratedStep, Demonstration } from '../worlds/plain/demonstration.ts'
import { judgement, policyResponse, type PlainFormats } from '../worlds/plain/roles.ts'
import type { Piece } from './demonstration-corpus.ts'

/** Weight of text that the models only read: enough to learn the world's language. */
const READING_WEIGHT = 0.2

/** How the roles spell their answers. */
export interface Spelling {
  response(thought: string, command: string): string
  judgement(reasoning: string, score: 1 | -1): string
}

const PLAIN: Spelling = { response: policyResponse, judgement }

/** Prompts of a world, and answers in the spelling that their parsers read. */
export interface EpisodeForm {
  formats: PlainFormats
  spelling: Spelling
}

export function plainForm(formats: PlainFormats): EpisodeForm {
  return { formats, spelling: PLAIN }
}

/** An episode as the policy writes it. */
export function policyLine(
  { policy }: PlainFormats,
  { opening, steps }: Demonstration<unknown>,
  { imitatesSlips } = { imitatesSlips: true },
  spelling = PLAIN,
): Piece[] {
  return [
    { text: policy.opening(opening), weight: 0 },
    ...steps.flatMap(({ thought, command, observation, isSlip }): Piece[] => [
      { text: spelling.response(thought, command), weight: isSlip && !imitatesSlips ? 0 : 1, isResponse: true },
      { text: policy.afterResponse(observation), weight: READING_WEIGHT },
    ]),
  ]
}

/** An episode as the reward model reads it, with a judgement after each step unless `judge` returns null. */
export function judgedLine<Facts>(
  { reward }: PlainFormats,
  { opening, steps }: Demonstration<Facts>,
  judge: (step: DemonstratedStep<Facts>) => { reasoning: string; score: 1 | -1 } | null,
  spelling = PLAIN,
): Piece[] {
  return [
    { text: reward.opening(opening), weight: 0 },
    ...steps.flatMap((step): Piece[] => {
      const judged = judge(step)
      const response = spelling.response(step.thought, step.command)
      const read = { text: reward.step({ response, observation: step.observation }), weight: READING_WEIGHT }
      if (!judged) return [read]
      const text = spelling.judgement(judged.reasoning, judged.score)
      return [read, { text, weight: 1, isResponse: true, asideCue: reward.cue }]
    }),
  ]
}
