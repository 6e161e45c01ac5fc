/**
 * Prompts and parsers of the three roles for models that continue plain text, in worlds whose reward model votes on steps. Terse,
 * because tiny models read and write them token by token:
 *
 *     policy   {scene and task}\n> {thought}: {command}<end>\n{observation}\n> ...
 *     judge    {scene and task}\n> {thought}: {command}\n{observation} ... \nJudge: {reason}; score {1 or -1}<end>
 *     author   {direction} {accuracy}\n{scene}\nCritic: {summary}\nRewrite: {rewrite}<end>
 */
import type { RoleFormats, Score, StepJudgeFormat } from '../../method/ports.ts'

const RESPONSE_CUE = '\n>'
const JUDGE_CUE = '\nJudge:'
const SCORE_CUE = '; score'

export interface PlainOptions {
  /** What of the opening a prompt quotes; all by default. */
  scene?: (opening: string) => string
  /** What of an observation a prompt quotes; all by default. */
  quoted?: (observation: string) => string
  authorMaxTokens: number
}

export type PlainFormats = RoleFormats & { reward: StepJudgeFormat }

export const policyResponse = (thought: string, command: string): string => ` ${thought}: ${command}`

export const judgement = (reasoning: string, score: 1 | -1): string => ` ${reasoning}${SCORE_CUE} ${score}`

function parseScore(text: string): Score {
  const last = [...text.matchAll(/score (-?)1\b/g)].at(-1)
  return last ? (last[1] === '-' ? -1 : 1) : 0
}

const whole = (text: string) => text

export function plainFormats({ scene = whole, quoted = whole, authorMaxTokens }: PlainOptions): PlainFormats {
  return {
    policy: {
      opening: (openingText) => scene(openingText) + RESPONSE_CUE,
      afterResponse: (observation) => `\n${quoted(observation)}${RESPONSE_CUE}`,
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
      opening: scene,
      step: ({ response, observation }) => `${RESPONSE_CUE}${response}\n${quoted(observation)}`,
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
      maxTokens: authorMaxTokens,
    },
  }
}
