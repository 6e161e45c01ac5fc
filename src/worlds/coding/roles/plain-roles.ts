/**
 * How the three roles speak in the coding world: prompts and parsers, pure text.
 *
 * Kept terse, because tiny models read and write them token by token:
 *
 *     policy   {statement}\nProgram:\n{program}<end>
 *     reward   {statement}\nTest:\n{reasoning}\nInput: {input}\nOutput: {output}<end>
 *     author   {direction} {accuracy}\n{description}\nCritic: {summary}\nRewrite:{rewrite}<end>
 *
 * Larger models think aloud and fence what they mean, so the parsers take what the released ones take: of a program the last
 * fenced block (sample/llm_policy_rollout.py:144), of a test the last pair, fenced or not (sample/llm_reward_rollout.py:80).
 * Unlike there, a response without a fence is a program as a whole, and a fence that a full length left open counts.
 */
import type { RoleFormats, TestWriterFormat, WrittenTest } from '../../../method/ports.ts'

const PROGRAM_CUE = '\nProgram:\n'
const TEST_CUE = '\nTest:\n'
/** A block between fences, the language beside the first one left out. */
const FENCED = /```[^\n`]*\n([^]*?)(?:```|$)/g
/** A line that begins with "Input:", "Output:" or "Explanation:", also as Markdown and as "Test Input:". */
const MARKER = /^[ \t>#*-]*(?:test[ \t]+)?(input|output|explanation)[ \t]*(?:\*\*)?:(?:\*\*)?/gim

export function policyResponse(program: string): string {
  return program
}

/** What `reward.parse` reads back: a test of one or more lines. */
export function testResponse({ input, output }: WrittenTest, reasoning = ''): string {
  return `${reasoning === '' ? '' : `${reasoning}\n`}Input: ${input}\nOutput: ${output}`
}

interface Marked {
  name: string
  /** The value as written, and where the marker and the value stand in the text. */
  start: number
  valueStart: number
  end: number
}

/** The marked pieces of a text, each to where the next one begins. */
function markedPieces(text: string): Marked[] {
  const markers = [...text.matchAll(MARKER)]
  return markers.map((marker, index) => ({
    name: marker[1]!.toLowerCase(),
    start: marker.index,
    valueStart: marker.index + marker[0].length,
    end: markers[index + 1]?.index ?? text.length,
  }))
}

/** A fenced value is what stands in its first block, and what is said after it belongs to the reasoning. */
function valueOf(text: string, { valueStart, end }: Marked): { value: string; rest: string } {
  const piece = text.slice(valueStart, end)
  const block = piece.matchAll(FENCED).next().value
  if (!block) return { value: piece.trim(), rest: '' }
  return { value: block[1]!.replace(/\r?\n$/, ''), rest: piece.slice(block.index + block[0].length) }
}

function parseTest(text: string): { reasoning: string; test: WrittenTest | null } {
  const pieces = markedPieces(text)
  for (let i = pieces.length - 2; i >= 0; i--) {
    const first = pieces[i]!
    // How the output comes about may be explained before it is told.
    const between = pieces[i + 1]!.name === 'explanation' ? pieces[i + 1] : undefined
    const second = pieces[between ? i + 2 : i + 1]
    if (first.name !== 'input' || second?.name !== 'output') continue
    const input = valueOf(text, first)
    const output = valueOf(text, second)
    const explanation = between ? text.slice(between.valueStart, between.end) : ''
    const rest = [text.slice(0, first.start), input.rest, explanation, output.rest, text.slice(second.end)]
    return {
      reasoning: rest.map((each) => each.trim()).filter((each) => each !== '').join('\n'), // prettier-ignore
      test: { input: input.value, output: output.value },
    }
  }
  return { reasoning: text.trim(), test: null }
}

function parseProgram(response: string): { thought: string; command: string } {
  const block = [...response.matchAll(FENCED)].at(-1)
  if (!block) return { thought: '', command: response.trim() }
  return { thought: response.slice(0, block.index).trim(), command: block[1]!.trim() }
}

export const codingFormats: RoleFormats & { reward: TestWriterFormat } = {
  policy: {
    opening: (openingText) => openingText + PROGRAM_CUE,
    afterResponse: (observation) => `\n${observation}${PROGRAM_CUE}`,
    parse: parseProgram,
    maxTokens: 96,
  },
  reward: {
    kind: 'test-writer',
    prompt: (openingText) => openingText + TEST_CUE,
    parse: parseTest,
    maxTokens: 96,
  },
  author: {
    prompt: ({ description, direction, accuracy, criticSummary }) =>
      `${direction} ${Math.round(accuracy * 100)}\n${description}\nCritic: ${criticSummary}\nRewrite:`,
    parse: (text) => text.trim(),
    maxTokens: 32,
  },
}

/**
 * The same for imported problems, which are longer than generated ones in every way: as many tokens as released
 * (configs/coding_rl.yaml), or as the model's context has room for.
 */
export const importedCodingFormats: typeof codingFormats = {
  policy: { ...codingFormats.policy, maxTokens: 2048 },
  reward: { ...codingFormats.reward, maxTokens: 2048 },
  author: { ...codingFormats.author, maxTokens: 8096 },
}
