/** Real model servers from PyPI, on the CPU, with a tiny Qwen3 or Qwen2-VL made here from random weights and a few lessons. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pythonEnvironment } from '../../../scripts/python-environment.mjs'
import { freePort } from '../../local-server.ts'
import { desktopLessons } from './desktop-lessons.ts'
import { householdLessons } from './household-lessons.ts'

/** Gigabytes, because of PyTorch and JAX. SkyRL's `jax` extra requires CUDA, so its parts are listed here. */
const PACKAGES = ['skyrl[tinker]==0.3.0', 'jax>=0.8,<1', 'flax>=0.12.2', 'optax>=0.2.5', 'openai>=2', 'accelerate>=1', 'torchvision', 'uv'] // prettier-ignore
const PYTHON = resolve(import.meta.dirname, 'python')
const START_MS = 240_000
/** Fewer batch shapes mean fewer programs for JAX to compile, which takes seconds each. */
const BACKEND = { max_lora_adapters: 8, max_lora_rank: 8, sample_max_num_sequences: 8, train_micro_batch_size: 1 }

export interface ModelServer {
  address: string
  /** Folder of the served model. */
  model: string
  output(): string
  /** Kills it. */
  kill(): Promise<void>
  /** Starts it with its files, at the same address. */
  start(): Promise<void>
  /** Kills it and removes its files. */
  remove(): Promise<void>
}

/** How the served model is made: a script of python/ with the folder, the lessons and the seconds. */
interface Maker {
  script: string
  lessons: () => Promise<readonly object[]>
  /** Time limit for the lessons; an idle core needs a quarter of it or less. */
  seconds: number
}

const TINY_QWEN3: Maker = { script: 'tiny_qwen3.py', lessons: () => householdLessons(1), seconds: 90 }
/** A test needs all that it learns, so a busy machine gets more time. */
const TINY_QWEN2_VL: Maker = {
  script: 'tiny_qwen2_vl.py',
  lessons: () => desktopLessons({ first: 160, whole: 8 }, 1),
  seconds: 900,
}

export async function tinkerServer(): Promise<ModelServer> {
  return server(TINY_QWEN3, '/api/v1/healthz', (model, folder, port) => [
    'uv',
    // SkyRL starts its engine with the same command as itself.
    ...['run', '--no-project', '-m', 'skyrl.tinker.api', '--host', '127.0.0.1', '--port', String(port)],
    ...['--base-model', model, '--backend', 'jax', '--backend-config', JSON.stringify(BACKEND)],
    ...['--checkpoints-base', join(folder, 'checkpoints'), '--database-url', `sqlite:///${join(folder, 'tinker.db')}`],
  ])
}

export async function transformersServer(): Promise<ModelServer> {
  return server(TINY_QWEN3, '/health', (model, _folder, port) => ['transformers', ...serving(model, port)])
}

/** A picture as the server decoded it. */
export interface DecodedPicture {
  width: number
  height: number
  /** Hash of its red, green and blue, row by row. */
  sha256: string
}

/** `transformers serve` with a model that sees. `decoded` gives the pictures of each request so far that had any. */
export async function seeingServer(): Promise<ModelServer & { decoded(): DecodedPicture[][] }> {
  let record = ''
  const opened = await server(TINY_QWEN2_VL, '/health', (model, folder, port) => {
    record = join(folder, 'pictures.jsonl')
    return ['python', join(PYTHON, 'serve_and_record.py'), record, ...serving(model, port)]
  })
  const decoded = () =>
    readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as DecodedPicture[]) // prettier-ignore
  return { ...opened, decoded }
}

const serving = (model: string, port: number) => ['serve', model, '--host', '127.0.0.1', '--port', String(port), '--device', 'cpu'] // prettier-ignore

async function server(
  maker: Maker,
  health: string,
  command: (model: string, folder: string, port: number) => string[],
): Promise<ModelServer> {
  const bin = pythonEnvironment('model-servers', PACKAGES)
  const folder = mkdtempSync(join(tmpdir(), 'model-server-'))
  const model = join(folder, 'tiny-model')
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    VIRTUAL_ENV: resolve(bin, '..'),
    PYTHONPATH: PYTHON,
    HF_HUB_OFFLINE: '1',
    UV_OFFLINE: '1',
    JAX_PLATFORMS: 'cpu',
    // Compiled programs survive a restart.
    JAX_COMPILATION_CACHE_DIR: join(folder, 'compiled'),
  }
  await makeModel(maker, join(bin, 'python'), model, join(folder, 'lessons.jsonl'), env)
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  let output = ''

  async function start(): Promise<void> {
    const [file, ...args] = command(model, folder, port)
    // A separate process group, because such servers start others.
    child = spawn(join(bin, file!), args, { env, cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const keep = (chunk: Buffer) => void (output = (output + chunk.toString()).slice(-8000))
    child.stdout!.on('data', keep)
    child.stderr!.on('data', keep)
    const deadline = Date.now() + START_MS
    for (;;) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${output}`)
      const response = await fetch(address + health).catch(() => null)
      if (response?.ok) return
      await new Promise((next) => setTimeout(next, 500))
    }
  }

  async function kill(): Promise<void> {
    const dying = child
    child = null
    if (!dying?.pid || dying.exitCode !== null) return
    const ended = new Promise((done) => dying.once('exit', done))
    process.kill(-dying.pid, 'SIGKILL')
    await ended
  }

  // Leaves nothing running if a test is interrupted.
  process.once('exit', () => {
    if (child?.pid) process.kill(-child.pid, 'SIGKILL')
  })

  const opened: ModelServer = {
    address,
    model,
    output: () => output,
    start,
    kill,
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await start()
  } catch (error) {
    await opened.remove()
    throw error
  }
  return opened
}

async function makeModel(
  maker: Maker,
  python: string,
  model: string,
  lessons: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  writeFileSync(lessons, (await maker.lessons()).map((lesson) => JSON.stringify(lesson)).join('\n'))
  const made = spawnSync(python, [join(PYTHON, maker.script), model, lessons, String(maker.seconds)], {
    env,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`The tiny model could not be made:\n${made.stderr}`)
  report('tiny model, nats per token:', made.stdout.trim())
}

/** Prints a measurement in the output of the tests. */
export function report(...words: string[]): void {
  process.stdout.write(`${words.join(' ')}\n`)
}
