import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { typescriptFlags } from '../../../scripts/ensure.mjs'
import { paperCommand } from '../../../src/cli/experiments/paper/command.ts'
import { writeModelFolder } from '../../../src/language-model/files/folder-reader.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { configJson } from '../../../src/pretraining/model-shape.ts'
import { CHAT_TEMPLATE } from '../../../src/pretraining/shared/chat-form.ts'
import { sharedTokenizer } from '../../../src/pretraining/shared/tokenizer.ts'
import { END_OF_RESPONSE } from '../../../src/pretraining/vocabulary.ts'
import { parseResults } from '../../../src/results/results-file.ts'

const SHAPE = {
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 16,
}
/** As few episodes as a run can have. */
const TINY = ['evaluationTasks=2', 'tasksPerIteration=2', 'taskPoolSize=4', 'groupSize=2', 'maxSteps=2', 'judgeTasks=1']

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'across-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const args = (...more: string[]) => ['--table', 'across', '--out', join(folder, 'runs'), ...more]

async function writeFreshModels(): Promise<string> {
  const tokenizer = sharedTokenizer()
  const { vocab } = tokenizer.model
  // Fresh models hardly end a response, so a short context ends it.
  const config = {
    ...configJson(SHAPE, Object.keys(vocab).length, vocab[END_OF_RESPONSE]!),
    max_position_embeddings: 256,
  }
  const models = join(folder, 'models')
  for (const [seed, role] of ['policy', 'reward'].entries()) {
    const model = await LanguageModel.fresh(config, tokenizer, seed, 'cpu')
    const template = { 'chat_template.jinja': new TextEncoder().encode(CHAT_TEMPLATE) }
    await writeModelFolder(join(models, `shared-${role}`), { ...(await model.saveFolder()), ...template })
    await model.dispose()
  }
  return models
}

it('the models of one run learn in one world and are measured in both', async () => {
  await expect(paperCommand(args('--quick', '--shared-models', join(folder, 'models')))).rejects.toThrow(
    'has no model shared-policy. Make it with npm run pretrain -- --world shared.',
  )

  const models = await writeFreshModels()
  const set = TINY.flatMap((setting) => ['--set', setting])
  const once = args('--quick', '--seeds', '3', '--iterations', '1', '--shared-models', models, ...set)
  const command = [...typescriptFlags(), 'src/cli/experiments.ts', 'paper', ...once]
  const first = spawnSync(process.execPath, command, { encoding: 'utf8' })
  expect(first.stderr).toContain('2 of 2 runs')
  expect(first.status).toBe(0)
  const results = parseResults(JSON.parse(readFileSync(join(folder, 'runs/results/across.json'), 'utf8')))
  // Fresh models win nothing, but every world has a value, before and after.
  for (const { values } of results.rows)
    for (const world of ['household', 'desktop']) {
      expect(values[`${world}-id`]).toEqual([expect.any(Number)])
      expect(values[`${world}-judge`]).toEqual([expect.any(Number)])
    }
  expect(results.models['household-policy']).toBe(results.models['desktop-policy'])
  expect(results.rows.map(({ start }) => start)).toEqual(['shared', 'shared', 'shared'])

  // Finished runs are kept.
  const records = () => readdirSync(join(folder, 'runs')).filter((name) => name.endsWith('.json'))
  const before = records().map((name) => readFileSync(join(folder, 'runs', name), 'utf8'))
  expect(await paperCommand(once)).toBe(0)
  expect(records().map((name) => readFileSync(join(folder, 'runs', name), 'utf8'))).toEqual(before)
})
