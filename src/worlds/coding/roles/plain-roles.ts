/**
 * Prompts and parsers of the three roles in the coding world, for models that continue plain text.
 *
 * Terse, because tiny models read and write them token by token:
 *
 *     policy   {statement}\nProgram:\n{program}<end>
 *     reward   {statement}\nTest:\n{reasoning}\nInput: {input}\nOutput: {output}<end>
 *     author   {direction} {accuracy}\n{description}\nCritic: {summary}\nRewrite:{rewrite}<end>
 *
 * Larger models think aloud and put their answer into fences, so the parsers read what the released ones read: the last fenced
 * block of a program (sample/llm_policy_rollout.py:144), and the last pair of a test, fenced or not
 * (sample/llm_reward_rollout.py:80). Unlike there, a response without a fence is a program as a whole, and a fence left open
 * at the token limit counts.
 */
import type { RoleFormats, TestWriterFormat, WrittenTest } from '../../../method/ports.ts'

const PROGRAM_CUE = '\nProgram:\n'
const TEST_CUE = '\nTest:\n'
/** A fenced block. Captures the content without the language. */
const FENCED = /```[^\n`]*\n([^]*?)(?:```|$)/g
/** The beginning of a line with "Input:", "Output:" or "Explanation:", also in Markdown and as "Test Input:". */
const MARKER = /^[ \t>#*-]*(?:test[ \t]+)?(input|output|explanation)[ \t]*(?:\*\*)?:(?:\*\*)?/gim

interface Marked {
  name: string
  start: number
  valueStart: number
  end: number
}

/** The pieces of a text after each marker, up to the next one. */
function markedPieces(text: string): Marked[] {
  const markers = [...text.matchAll(MARKER)]
  return markers.map((marker, index) => ({
    name: marker[1]!.toLowerCase(),
    start: marker.index,
    valueStart: marker.index + marker[0].length,
    end: markers[index + 1]?.index ?? text.length,
  }))
}

/** The value of a piece: its first fenced block, if any. Text after the block belongs to the reasoning. */
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
    // An explanation may come between input and output.
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
 * The same for imported problems, which are longer than generated ones: as many tokens as released (configs/coding_rl.yaml), or
 * as fit into the model's context.
 */
export const importedCodingFormats: typeof codingFormats = {
  policy: { ...codingFormats.policy, maxTokens: 2048 },
  reward: { ...codingFormats.reward, maxTokens: 2048 },
  author: { ...codingFormats.author, maxTokens: 8096 },
}
