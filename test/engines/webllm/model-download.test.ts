/** Downloads of WebLLM's models over real HTTP: reported, stopped, interrupted, continued, deleted. */
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { downloadModel } from '../../../src/engines/webllm/model-download.ts'
import { modelFolder, readAndKeepOptional, UnreachableFileError } from '../../../src/engines/webllm/model-files.ts'
import { TEMPLATE_FILES } from '../../../src/language-model/tokens/chat-template-files.ts'
import { deleteModel, storedModels } from '../../../src/engines/webllm/stored-models.ts'
import type { ModelRecord } from '../../../src/roles/source.ts'
import { TransferMeter, type TransferState } from '../../../src/engines/webllm/transfer-meter.ts'
import { listening, type LocalServer } from '../../local-server.ts'
import { MemoryFiles, RECORD, smallWeights } from './small-model.ts'

const LIBRARY = new Uint8Array(3000).fill(7)
/** The small model's files by name. */
const SMALL = new Map(
  [...new MemoryFiles(smallWeights(1)).stored].map(
    ([address, bytes]) => [address.slice(modelFolder(RECORD.model).length), bytes] as const,
  ),
)
/** That it lacks them is kept as well. */
const LACKED = TEMPLATE_FILES.map((name) => [name, new Uint8Array(0)] as const)
/** With the library. */
const ALL = SMALL.size + LACKED.length + 1
const SHARDS = [...SMALL.keys()].filter((name) => name.startsWith('params_shard'))
const TOTAL = [...SMALL.values()].reduce((sum, { length }) => sum + length, LIBRARY.length)

let server: LocalServer
let record: ModelRecord
let asked: string[]
/** Faults of the server, by file name. */
let instead: Map<string, (response: ServerResponse, bytes: Uint8Array) => void>

beforeEach(async () => {
  asked = []
  instead = new Map()
  const hub = createServer((request, response) => {
    const name = request.url!.split('/').at(-1)!
    asked.push(name)
    const bytes = name === 'small.wasm' ? LIBRARY : SMALL.get(name)
    if (instead.has(name)) instead.get(name)!(response, bytes ?? new Uint8Array(0))
    else if (bytes === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  })
  server = await listening(hub)
  const origin = server.address
  record = { ...RECORD, model: `${origin}/owner/small-model`, model_lib: `${origin}/libraries/small.wasm` }
})
afterEach(() => server.close())

/** An empty cache in memory. */
function emptyFiles(): MemoryFiles {
  const files = new MemoryFiles(smallWeights(1))
  files.stored.clear()
  return files
}

const never = new AbortController().signal

describe('downloading a model of WebLLM', () => {
  it('stores every file under its address, and reports every byte once, up to the total', async () => {
    const files = emptyFiles()
    const told: [number, number][] = []
    await downloadModel(files, record, (...numbers) => told.push(numbers), never)
    const folder = modelFolder(record.model)
    expect(new Map([...files.stored].filter(([address]) => address !== record.model_lib))).toEqual(
      new Map([...SMALL, ...LACKED].map(([name, bytes]) => [folder + name, bytes])),
    )
    expect(files.stored.get(record.model_lib)).toEqual(LIBRARY)
    expect(told.at(-1)).toEqual([TOTAL, TOTAL])
    for (const [i, [done, total]] of told.entries()) {
      expect(done).toBeGreaterThan(i === 0 ? 0 : told[i - 1]![0])
      expect(total).toBeGreaterThanOrEqual(done)
    }
    expect(await storedModels(files, [record])).toEqual([{ id: record.model_id, bytes: TOTAL, isComplete: true }])
    await downloadModel(files, record, () => {}, never)
    expect(asked).toHaveLength(ALL)
  })

  it('brings the files of the chat template, of which a model may lack some or may not show them', async () => {
    const template = new TextEncoder().encode('{"chat_template":"x"}')
    instead.set('tokenizer_config.json', (response) => void response.writeHead(200).end(template))
    instead.set('chat_template.jinja', (response) => void response.writeHead(403).end())
    const files = emptyFiles()
    await downloadModel(files, record, () => {}, never)
    const folder = modelFolder(record.model)
    expect(files.stored.get(`${folder}tokenizer_config.json`)).toEqual(template)
    expect(files.stored.get(`${folder}special_tokens_map.json`)).toEqual(new Uint8Array(0))
    expect(files.stored.has(`${folder}chat_template.jinja`)).toBe(false)
    // What was forbidden counts as missing only where the server cannot be reached.
    files.read = async (_, address) => Promise.reject(new UnreachableFileError(`${address} could not be reached.`))
    await expect(readAndKeepOptional(files, 'webllm/config', `${folder}chat_template.jinja`)).rejects.toMatchObject({
      isMissing: true,
    })
    instead.set('special_tokens_map.json', (response) => void response.writeHead(500).end())
    await expect(downloadModel(emptyFiles(), record, () => {}, never)).rejects.toThrow(/special_tokens_map.* 500/)
  })

  it('reports speed and remaining time', async () => {
    let now = 0
    const meter = new TransferMeter(() => now)
    // As when the button was pressed.
    meter.update(0, 0)
    const states: TransferState[] = []
    await downloadModel(
      emptyFiles(),
      record,
      (done, total) => {
        // A thousand bytes each second, by the clock of the test.
        now = done
        states.push(meter.update(done, total))
      },
      never,
    )
    const [middle] = states.filter(({ done, total }) => done > total / 2)
    expect(middle!.bytesPerSecond).toBeCloseTo(1000, 6)
    expect(middle!.secondsLeft).toBeCloseTo((middle!.total - middle!.done) / 1000, 6)
    expect(states.at(-1)).toMatchObject({ done: TOTAL, secondsLeft: 0 })
  })

  it('can be stopped in the middle of a file, and keeps only complete files', async () => {
    const last = SHARDS.at(-1)!
    const controller = new AbortController()
    instead.set(last, (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 10))
      setTimeout(() => controller.abort(new Error('enough')), 20)
    })
    const files = emptyFiles()
    await expect(downloadModel(files, record, () => {}, controller.signal)).rejects.toThrow('enough')
    expect(files.stored.has(modelFolder(record.model) + last)).toBe(false)
    expect(await storedModels(files, [record])).toMatchObject([{ isComplete: false }])
  })

  it('reports an interruption, and continues with the missing files', async () => {
    const last = SHARDS.at(-1)!
    instead.set(last, (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 10))
      setTimeout(() => response.destroy(), 20)
    })
    const files = emptyFiles()
    await expect(downloadModel(files, record, () => {}, never)).rejects.toMatchObject({
      name: 'ModelFileError',
      message: expect.stringMatching(
        /was interrupted.*Download again to continue after the last complete file/,
      ) as string,
    })
    instead.clear()
    asked = []
    const told: [number, number][] = []
    await downloadModel(files, record, (...numbers) => told.push(numbers), never)
    expect(asked).toEqual([last])
    const [done, total] = told.at(-1)!
    expect(done).toBe(total)
    expect(await storedModels(files, [record])).toMatchObject([{ bytes: TOTAL, isComplete: true }])
  })

  it('keeps nothing of a server that answers every address with a page', async () => {
    const page = '<!doctype html>'
    for (const name of [...SMALL.keys(), 'small.wasm'])
      instead.set(name, (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page))
    const files = emptyFiles()
    await expect(downloadModel(files, record, () => {}, never)).rejects.toThrow(/tensor-cache\.json .* is not JSON/)
    expect([...files.stored.keys()]).toEqual([])
  })

  it('reports a wrong address, and does not store its error page', async () => {
    const files = emptyFiles()
    const wrong = { ...record, model_lib: `${record.model_lib}.gone` }
    await expect(downloadModel(files, wrong, () => {}, never)).rejects.toMatchObject({
      isMissing: true,
      message: expect.stringMatching(/gone answered 404\. Check the address/) as string,
    })
    expect(files.stored.has(wrong.model_lib)).toBe(false)
  })

  it('says that the server is busy, not that the address is wrong', async () => {
    instead.set('tokenizer.json', (response) => void response.writeHead(503).end())
    const files = emptyFiles()
    await expect(downloadModel(files, record, () => {}, never)).rejects.toThrow(
      /tokenizer\.json answered 503\. The server is busy/,
    )
  })

  it('starts over after deleting', async () => {
    const files = emptyFiles()
    await downloadModel(files, record, () => {}, never)
    await deleteModel(files, record, [record])
    expect(files.stored.size).toBe(0)
    asked = []
    await downloadModel(files, record, () => {}, never)
    expect(asked).toHaveLength(ALL)
  })
})
