/**
 * Prompts and parsers of the three roles in the household, for models that continue plain text.
 *
 * Terse, because tiny models read and write them token by token:
 *
 *     policy   {scene and task}\n> {thought}: {command}<end>\n{observation}\n> ...
 *     judge    {scene and task}\n> {thought}: {command}\n{observation} ... \nJudge: {reason}; score {1 or -1}<end>
 *     author   {direction} {accuracy}\n{scene}\nCritic: {summary}\nRewrite: {rewrite}<end>
 *
 * Unlike the released prompts, these list no admissible commands: the policy writes a command, and one that is not
 * admissible gets "Nothing happens.", as in ALFWorld itself.
 */
import type { RoleFormats, Score, StepJudgeFormat } from '../../../method/ports.ts'

const RESPONSE_CUE = '\n>'
const JUDGE_CUE = '\nJudge:'
const SCORE_CUE = '; score'
const INTRODUCTION = /^[^]*?(?=You are in the middle of a room)/
/** Most characters of an observation that a prompt quotes. Real ones (a full countertop) are shorter. */
const OBSERVATION_LIMIT = 2000

export const withoutWelcome = (opening: string) => opening.replace(INTRODUCTION, '')

export function policyResponse(thought: string, command: string): string {
  return ` ${thought}: ${command}`
}

export function judgement(reasoning: string, score: 1 | -1): string {
  return ` ${reasoning}${SCORE_CUE} ${score}`
}

function parseScore(text: string): Score {
  const scores = [...text.matchAll(/score (-?)1\b/g)]
  const last = scores.at(-1)
  return last ? (last[1] === '-' ? -1 : 1) : 0
}

export const householdFormats: RoleFormats & { reward: StepJudgeFormat } = {
  policy: {
    opening: (openingText) => withoutWelcome(openingText) + RESPONSE_CUE,
    afterResponse: (observation) => `\n${observation.slice(0, OBSERVATION_LIMIT)}${RESPONSE_CUE}`,
    parse(response) {
      const colon = response.indexOf(':')
      if (colon < 0) return { thought: '', command: response.trim() }
      return { thought: response.slice(0, colon).trim(), command: response.slice(colon + 1).trim() }
    },
    maxTokens: 16,
  },
  reward: {
    kind: 'step-judge',
    reasoning: 'templated',
    opening: withoutWelcome,
    step: ({ response, observation }) => `${RESPONSE_CUE}${response}\n${observation.slice(0, OBSERVATION_LIMIT)}`,
    cue: JUDGE_CUE,
    parse(text) {
      const end = text.indexOf(SCORE_CUE)
      return { reasoning: (end < 0 ? text : text.slice(0, end)).trim(), score: parseScore(text) }
    },
    maxTokens: 20,
  },
  author: {
    prompt: ({ description, direction, accuracy, criticSummary }) =>
      `${direction} ${Math.round(accuracy * 100)}\n${description}\nCritic: ${criticSummary}\nRewrite:`,
    parse: (text) => text.trim(),
    maxTokens: 24,
  },
}
