import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { benchModel, randomBatch, randomPrompts } from '../../../src/bench/bench-model.ts'
import { nativeJaxGeneration } from '../../../src/bench/peers/native-jax/generation.ts'
import { nativeJaxTraining } from '../../../src/bench/peers/native-jax/training.ts'
import { PeerUnavailableError } from '../../../src/bench/subjects.ts'

const model = benchModel({
  hiddenSize: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  intermediateSize: 12,
  vocabularySize: 6,
})

describe('native JAX as a peer', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bench-jax-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A command in JavaScript that answers requests in Python's place and keeps what it was asked in `asked.json`. */
  function python(name: string, answers: string): string {
    const file = join(folder, name)
    writeFileSync(
      file,
      `#!${process.execPath}
      const { readFileSync, writeFileSync } = require('node:fs')
      const floats = (path) => new Float32Array(readFileSync(path).buffer.slice(0))
      const asked = []
      let processorMs = 0
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const request = JSON.parse(line)
        asked.push({ ...request, environment: process.env.NPROC })
        if (request.weights) asked[0].values = Array.from(new Float32Array(new Uint8Array(readFileSync(request.weights)).buffer))
        writeFileSync(${JSON.stringify(`${file}.asked`)}, JSON.stringify(asked))
        processorMs += 250
        ${answers}
      })`,
    )
    chmodSync(file, 0o755)
    return file
  }
  const asked = (file: string) => JSON.parse(readFileSync(`${file}.asked`, 'utf8')) as Record<string, unknown>[]

  const answering = `
    const say = (answer) => console.log(JSON.stringify({ ...answer, processorMs, peakBytes: 4096 }))
    if (request.weights) return say({ jax: '9.8', python: '7.6', device: 'cpu' })
    if (request.call === 'generate') return say({ tokens: request.prompts.map((prompt) => [prompt[0], request.count]) })
    if (request.into) writeFileSync(request.into, new Uint8Array(new Float32Array(asked[0].values.map((_, i) => i)).buffer))
    say({ loss: 1.5 })`

  it('gets the weights in the order of their shapes, and its gradients come back by name', async () => {
    const file = python('gradients', answering)
    const subject = await nativeJaxTraining({ python: file, threads: 2 })(model)
    try {
      expect(subject.name).toBe('JAX, 2 threads')
      expect(subject.note).toBe('JAX 9.8, Python 7.6, 2 threads')
      const batch = randomBatch(model.config, 2, 3)
      const { loss, gradients } = await subject.gradients(batch)
      expect(loss).toBe(1.5)
      const names = [...model.weights.keys()]
      expect([...gradients.keys()]).toEqual(names)
      expect([...gradients.values()].flatMap((values) => Array.from(values))).toEqual(
        Array.from({ length: model.parameters }, (_, i) => i),
      )
      const [description, call] = asked(file)
      expect(description!['values']).toEqual(names.flatMap((name) => Array.from(model.weights.get(name)!)))
      expect(description!['environment']).toBe('2')
      expect(call).toMatchObject({
        call: 'gradients',
        tokens: [Array.from(batch.tokens.subarray(0, 3)), Array.from(batch.tokens.subarray(3))],
        targets: [Array.from(batch.targets.subarray(0, 3)), Array.from(batch.targets.subarray(3))],
      })
      expect([subject.processorMs!(), subject.peakBytes!()]).toEqual([500, 4096])
    } finally {
      subject.dispose()
    }
    expect(existsSync(asked(file)[0]!['weights'] as string)).toBe(false)
  })

  it('decodes all prompts in one call', async () => {
    const subject = await nativeJaxGeneration({ python: python('tokens', answering), threads: 1 })(model)
    try {
      const prompts = randomPrompts(model.config, 3, 4)
      expect(await subject.generate(prompts, 5)).toEqual([0, 1, 2].map((row) => Int32Array.of(row, 5)))
      expect(subject.name).toBe('JAX, one thread')
    } finally {
      subject.dispose()
    }
  })

  it('is unavailable without JAX_PYTHON, without such a command, and without the package, and says why', async () => {
    const open = (command: string | undefined) => nativeJaxTraining({ python: command, threads: 1 })(model)
    await expect(open(undefined)).rejects.toThrow(PeerUnavailableError)
    await expect(open(undefined)).rejects.toThrow('JAX_PYTHON does not name a Python with jax.')
    await expect(open(join(folder, 'nowhere'))).rejects.toThrow('ENOENT')
    const without = python('without', `console.error('Traceback\\nNo module named jax'); process.exit(1)`)
    await expect(open(without)).rejects.toThrow('ended with code 1: No module named jax')
  })

  it('reports what Python wrote if it ends during a call', async () => {
    const file = python(
      'ending',
      `if (request.weights) return console.log(JSON.stringify({ jax: '1', python: '3', device: 'cpu' }))
       console.error('out of memory'); process.exit(9)`,
    )
    const subject = await nativeJaxTraining({ python: file, threads: 1 })(model)
    await expect(subject.step(randomBatch(model.config, 1, 2))).rejects.toThrow('ended with code 9: out of memory')
    subject.dispose()
  })
})
