/**
 * Speed of sampling and training on the CPU backend, for the shape of the tiny models that ship: d 96, 3 layers, 4 heads (2 key/value),
 * feed-forward 256, vocabulary 700. A loop's own pattern: episodes whose prompts grow by response and observation, then one update.
 *
 *     npx tsx src/language-model/bench.ts [seconds]
 */
import type { TrainingExample, UpdateOptions } from '../method/ports.ts'
import { LanguageModel } from './language-model.ts'
import { randomStream } from './random-stream.ts'

const VOCABULARY = 700
const CONFIG = {
  model_type: 'llama',
  hidden_size: 96,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 256,
  vocab_size: VOCABULARY,
  tie_word_embeddings: true,
  max_position_embeddings: 2048,
  eos_token_id: 0,
}
const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', use_regex: false },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(
      Array.from({ length: VOCABULARY }, (_, i) => [String.fromCharCode(0x100 + (i % 64)) + i, i]),
    ),
    merges: [],
  },
}
const UPDATE: UpdateOptions = {
  learningRate: 1e-4,
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  klCoefficient: 0.01,
  klEstimator: 'k3',
  lossAggregation: 'seq-mean-token-mean',
  temperature: 1,
  updatesPerIteration: 2,
  maxGradNorm: 1,
  weightDecay: 0,
}
const EPISODES = 32
const TURNS = 6
const [OPENING, OBSERVATION, RESPONSE] = [120, 30, 24]

const seconds = Number(process.argv[2] ?? 10)
const model = await LanguageModel.fresh(CONFIG, TOKENIZER, 1, 'cpu')
const uniform = randomStream(1)
const randomTokens = (length: number) => Int32Array.from({ length }, () => 1 + Math.floor(uniform() * (VOCABULARY - 1)))
say(
  `${(model.parameterCount / 1e6).toFixed(2)} M parameters, ${EPISODES} episodes of ${TURNS} turns, an opening of ${OPENING}, responses of up to ${RESPONSE} and observations of ${OBSERVATION} tokens`,
)

const total = { sampled: 0, sampleMs: 0, read: 0, trained: 0, lossTokens: 0, trainMs: 0, fitted: 0, fitMs: 0 }
await iteration()
for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] = 0
const start = performance.now()
let iterations = 0
while (performance.now() - start < seconds * 1000) {
  await iteration()
  iterations++
}
await model.dispose()

const rate = (tokens: number, ms: number) => Math.round((tokens / ms) * 1000).toLocaleString('en')
say(
  `sampling   ${rate(total.sampled, total.sampleMs)} tokens/s sampled, ${rate(total.sampled + total.read, total.sampleMs)} with the prompt tokens read on the way`,
)
say(
  `updating   ${rate(total.trained, total.trainMs)} tokens/s forward and backward, ${rate(total.lossTokens, total.trainMs)} of them response tokens`,
)
say(`fitting    ${rate(total.fitted, total.fitMs)} tokens/s of documents with a loss on every token`)
say(`iteration  ${((performance.now() - start) / iterations / 1000).toFixed(2)} s`)

function say(line: string): void {
  process.stdout.write(line + '\n')
}

async function iteration(): Promise<void> {
  const sampleStart = performance.now()
  const examples: TrainingExample[][] = Array.from({ length: EPISODES }, () => [])
  let prompts = Array.from({ length: EPISODES }, () => randomTokens(OPENING))
  total.read += EPISODES * OPENING
  for (let turn = 0; turn < TURNS; turn++) {
    const sampled = await model.generate(
      prompts.map((prompt, seed) => ({ prompt, count: 1, seed: seed + 1000 * turn })),
      { temperature: 1, topP: 1, maxTokens: RESPONSE },
    )
    prompts = prompts.map((prompt, i) => {
      const { tokens, logProbs } = sampled[i]![0]!
      total.sampled += tokens.length
      examples[i]!.push({ prompt, response: tokens, oldLogProbs: logProbs, advantage: uniform() - 0.5 })
      return Int32Array.from([...prompt, ...tokens, ...randomTokens(OBSERVATION)])
    })
    if (turn > 0) total.read += EPISODES * OBSERVATION
  }
  const trainStart = performance.now()
  total.sampleMs += trainStart - sampleStart
  const metrics = await model.update(examples.flat(), UPDATE)
  const fitStart = performance.now()
  total.trainMs += fitStart - trainStart
  total.trained += metrics.trainedTokens
  total.lossTokens += metrics.lossTokens
  const { trainedTokens } = await model.fit(
    Array.from({ length: 16 }, () => ({ prompt: randomTokens(1), response: randomTokens(255) })),
    { learningRate: 1e-4 },
  )
  total.fitMs += performance.now() - fitStart
  total.fitted += trainedTokens
}
