import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { TransformerModel } from '../../../src/engines/transformer/transformer-model.ts'
import { wholeBuffers } from '../../../src/threads/worker-bridge.ts'
import { listening, type LocalServer } from '../../local-server.ts'
import { writeInstructFolder } from './instruct-folder.ts'

let server: LocalServer | undefined
afterEach(() => server?.close())

it('a checkpoint from an address is saved after every iteration without its server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-'))
  const generation = new TextEncoder().encode('{"temperature":0.6}')
  const files: Record<string, Uint8Array> = {
    ...(await writeInstructFolder(folder)),
    'generation_config.json': generation,
  }
  rmSync(folder, { recursive: true })
  server = await listening(
    createServer(({ url }, response) => {
      const bytes = files[url!.split('/').at(-1)!]
      response.writeHead(bytes ? 200 : 404).end(bytes)
    }),
  )
  const model = new TransformerModel()
  const checkpoint = { adapters: null, storage: 'float32', contextWindow: null, isTrained: true, adapterSeed: 0 } as const // prettier-ignore
  await model.load({ location: `${server.address}/owner/chat`, backend: 'cpu', checkpoint })
  await server.close()
  for (let iteration = 1; iteration <= 2; iteration++) {
    const saved = (await model.saveFolder())!
    // A worker gives the result away, and with it these buffers.
    const received = structuredClone(saved, { transfer: wholeBuffers(saved) })
    expect(Object.keys(received).toSorted()).toEqual(Object.keys(files).toSorted())
    for (const name of ['tokenizer_config.json', 'generation_config.json'])
      expect(received[name]).toEqual(new Uint8Array(files[name]!))
  }
  await model.unload()
})
