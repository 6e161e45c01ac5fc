/**
 * A folder like an instruct model's on Hugging Face: SmolLM2's chat template and special tokens, a similar tokenizer, and a tiny
 * Llama trained a little to respond with a score or an action, so that some votes are readable, and they differ.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeModelFolder } from '../../../src/language-model/files/folder-reader.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { uniformStream } from '../../../src/method/random.ts'
import { PLAIN } from '../../language-model/tiny-model.ts'

const CHAT = fileURLToPath(new URL('../../language-model/fixtures/chat/smollm2/', import.meta.url))
/** As the fixture's tokenizer has them. */
const VOCABULARY = 483
const CUE = '<|im_start|>assistant\n'
const RESPONSES = ['Score: 1', 'Score: -1', 'Action: look', 'Action: inventory']

/** Writes it on the CPU backend. Returns its files by name. */
export async function writeInstructFolder(folder: string): Promise<Record<string, Uint8Array>> {
  const [tokenizer, tokenizerConfig] = ['tokenizer.json', 'tokenizer_config.json'].map((file) =>
    readFileSync(join(CHAT, file)),
  )
  const config = { ...PLAIN, vocab_size: VOCABULARY, max_position_embeddings: 8192, eos_token_id: 482 }
  const model = await LanguageModel.fresh(config, JSON.parse(tokenizer!.toString()), 1, 'cpu')
  const uniform = uniformStream(3)
  const encode = async (text: string) => (await model.encode([text]))[0]!
  const filler = await encode('You see a desk 1, a drawer 2 and a shelf. Give your reasons, then a line that begins. ')
  const cue = await encode(CUE)
  for (let step = 0; step < 80; step++) {
    const examples = []
    for (const response of RESPONSES) {
      const start = Math.floor(uniform() * filler.length)
      const prompt = Int32Array.from([...filler.slice(start), ...filler.slice(0, start), ...cue])
      examples.push({ prompt, response: await encode(`${response}<|im_end|>`) })
    }
    await model.fit(examples, { learningRate: 0.02 })
  }
  const files = { ...(await model.saveFolder()), 'tokenizer_config.json': tokenizerConfig! }
  await model.dispose()
  await writeModelFolder(folder, files)
  return files
}
