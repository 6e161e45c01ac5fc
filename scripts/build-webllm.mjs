/**
 * `npm run build:webllm`: compiles the libraries with which WebLLM runs the built-in models (public/webllm). With a Hugging Face folder,
 * `npm run build:webllm -- path/to/folder [out] [--half]`, compiles one for it and writes the folder that the page takes under Models.
 *
 * Needs Python and emscripten. The compiler comes from PyPI, in an environment under .cache; docs/webllm.md says how it works.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensure, isMain, root, say } from './ensure.mjs'
import { PythonMissing, pythonEnvironment } from './python-environment.mjs'
import { nodeArguments } from './run.mjs'

const PACKAGES = ['apache-tvm==0.27.0.post1', 'apache-tvm-ffi==0.1.15.post2', 'numpy==2.4.6', 'ml_dtypes==0.6.0']
const SOURCES = join(root, 'scripts', 'webllm')
const CACHE = join(root, '.cache', 'webllm')
/** @type {readonly { type: 'float32' | 'float16', quantization: string }[]} */
const NUMBER_TYPES = [
  { type: 'float32', quantization: 'q0f32' },
  { type: 'float16', quantization: 'q0f16' },
]
const RUNTIME_FILES = ['wasm_runtime', 'webgpu_runtime', 'tvmjs_support']

const USAGE = `npm run build:webllm [-- FOLDER [OUT] [--half]]

  FOLDER   a Hugging Face model folder to compile and convert for WebLLM; without one, compiles the libraries of the
           built-in models into public/webllm
  OUT      where the folder for the page is written (FOLDER-q0f32-MLC, or FOLDER-q0f16-MLC with --half)
  --half   weights and calculations in float16
  --help   shows this text

Needs Python and emscripten (docs/webllm.md).
`

/** Something that a person has to install or change. */
class BuildProblem extends Error {}

/**
 * Edits of the wheel's sources: without remote procedure calls, which WebLLM does not use and whose headers the wheel lacks.
 * @type {Record<string, readonly [RegExp, string][]>}
 */
const EDITS = {
  wasm_runtime: [[/^#include "src\/runtime\/rpc\/.*"\n/gm, '']],
  tvmjs_support: [
    [/^#include "\.\.\/\.\.\/src\/runtime\/rpc\/rpc_local_session\.h"\n/m, ''],
    [/^namespace tvm \{\n[\s\S]*$/m, ''],
  ],
  webgpu_runtime: [],
}

/**
 * Compiles TVM's web runtime once for each set of sources. Returns the folder with its objects.
 * @param {string} python
 */
function buildRuntime(python) {
  const packages = run(python, ['-c', 'import tvm, pathlib; print(pathlib.Path(tvm.__file__).parents[1])']).trim()
  const key = createHash('sha256')
    .update(PACKAGES.join())
    .update(run('emcc', ['--version']))
    .update(JSON.stringify(EDITS, (_, value) => String(value)))
  const own = join(SOURCES, 'runtime')
  for (const file of readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()))
    key.update(readFileSync(join(file.parentPath, file.name)))
  const folder = join(CACHE, `runtime-${key.digest('hex').slice(0, 12)}`)
  if (existsSync(join(folder, '.built'))) return folder
  say("Compiling TVM's web runtime; this takes a few minutes …")
  rmSync(folder, { recursive: true, force: true })
  const sources = join(folder, 'sources')
  mkdirSync(join(sources, '3rdparty'), { recursive: true })
  const copy = (/** @type {string} */ from, /** @type {string} */ to) =>
    cpSync(join(packages, from), join(sources, to), { recursive: true })
  copy('tvm/src/runtime', 'src/runtime')
  copy('tvm/include', 'include')
  copy('tvm/web/emcc', 'web/emcc')
  for (const part of ['include', 'src', '3rdparty/dlpack']) copy(`tvm_ffi/${part}`, `3rdparty/tvm-ffi/${part}`)
  cpSync(own, sources, { recursive: true })
  for (const name of RUNTIME_FILES) {
    // Its name stays in the library. Relative, so that the same bytes come out wherever it is compiled.
    const source = `web/emcc/${name}.cc`
    const file = join(sources, source)
    let text = readFileSync(file, 'utf8')
    for (const [pattern, replacement] of EDITS[name] ?? []) {
      if (!new RegExp(pattern.source, 'm').test(text))
        throw new BuildProblem(
          `${name}.cc of apache-tvm does not contain ${pattern}. Use the pinned version, or adapt scripts/build-webllm.mjs.`,
        )
      text = text.replace(pattern, replacement)
    }
    writeFileSync(file, text)
    const includes = [
      '.',
      'include',
      '3rdparty/tvm-ffi/include',
      '3rdparty/tvm-ffi/3rdparty/dlpack/include',
      '3rdparty/compiler-rt',
    ]
    run(
      'emcc',
      [
        '-O3',
        '-std=c++17',
        '-Wno-ignored-attributes',
        ...includes.map((include) => `-I${include}`),
        '-c',
        '-o',
        join(folder, `${name}.o`),
        source,
      ],
      sources,
    )
  }
  writeFileSync(join(folder, '.built'), '')
  return folder
}

/**
 * @param {string} config file of a model's config.json
 * @param {'float32' | 'float16'} type
 * @param {string} library file to write
 */
export function buildLibrary(config, type, library) {
  if (spawnSync('emcc', ['--version']).status !== 0)
    throw new BuildProblem(
      'Building a library for WebLLM needs emscripten, and there is no command emcc. Install it (Debian, Ubuntu: apt install emscripten; macOS: brew install emscripten; others: emscripten.org) and run again.',
    )
  const bin = pythonEnvironment('webllm', PACKAGES)
  const python = join(bin, 'python')
  const runtime = buildRuntime(python)
  run(python, [join(SOURCES, 'compile.py'), config, type, runtime, library])
}

/** The libraries of the built-in models, one for each shape and number type. */
function buildShipped() {
  const folder = join(root, 'public', 'webllm')
  mkdirSync(folder, { recursive: true })
  const models = join(root, 'public', 'models')
  const built = new Set()
  for (const model of readdirSync(models)) {
    const config = join(models, model, 'config.json')
    const { model_type, hidden_size, num_hidden_layers, num_key_value_heads } = JSON.parse(readFileSync(config, 'utf8'))
    for (const { type, quantization } of NUMBER_TYPES) {
      // As in src/engines/webllm/shipped-models.ts.
      const name = `${model_type}-${hidden_size}x${num_hidden_layers}-kv${num_key_value_heads}-${quantization}.wasm.gz`
      if (built.has(name)) continue
      built.add(name)
      say(`Compiling ${name} …`)
      const plain = join(CACHE, 'library.wasm')
      buildLibrary(config, type, plain)
      const bytes = readFileSync(plain)
      const packed = gzipSync(bytes, { level: 9 })
      writeFileSync(join(folder, name), packed)
      say(`${name}: ${inMegabytes(bytes.length)}, packed ${inMegabytes(packed.length)}`)
    }
  }
}

/** @param {readonly string[]} args */
function buildFolder(args) {
  const isHalf = args.includes('--half')
  const unknown = args.find((argument) => argument.startsWith('--') && argument !== '--half')
  const [from, to, ...more] = args.filter((argument) => !argument.startsWith('--'))
  if (unknown !== undefined || from === undefined || more.length > 0) throw new BuildProblem(`Usage: ${USAGE}`)
  const config = join(from, 'config.json')
  if (!existsSync(config)) throw new BuildProblem(`${config} does not exist. Name a Hugging Face model folder.`)
  const quantization = isHalf ? 'q0f16' : 'q0f32'
  const out = resolve(to ?? `${from.replace(/[/\\]+$/, '')}-${quantization}-MLC`)
  mkdirSync(out, { recursive: true })
  // The small part first, because it refuses unsupported models.
  const written = spawnSync(
    process.execPath,
    nodeArguments('src/cli/webllm-folder.ts', [resolve(from), out, quantization]),
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  if (written.status !== 0) throw new BuildProblem(`The weights of ${from} were not converted.`)
  buildLibrary(resolve(config), isHalf ? 'float16' : 'float32', join(out, 'model.wasm'))
  say(`${out} is ready. On the page, choose it under Models as a folder for WebLLM.`)
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
function run(command, args, cwd) {
  const done = spawnSync(command, args, {
    cwd,
    env: { ...process.env, PATH: toolPath() },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (done.status === 0) return done.stdout
  const why = done.error?.message ?? done.stderr.trim().split('\n').slice(-12).join('\n')
  throw new BuildProblem(`${command} ${args.slice(0, 3).join(' ')} … failed:\n${why}`)
}

/** Without npm's folders, where emscripten would find the wasm-opt of another package, which is many times slower than its own. */
function toolPath() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}

/** @param {number} bytes */
function inMegabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}

if (isMain(import.meta.url)) {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(USAGE)
    process.exit(0)
  }
  ensure()
  try {
    mkdirSync(CACHE, { recursive: true })
    if (args.length === 0) buildShipped()
    else buildFolder(args)
  } catch (error) {
    if (!(error instanceof BuildProblem || error instanceof PythonMissing)) throw error
    say(error.message)
    process.exit(1)
  }
}
