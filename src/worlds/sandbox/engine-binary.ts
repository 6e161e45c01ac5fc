/** QuickJS as WebAssembly, metered and compiled once per thread. Its 500 kB load only when a program is judged. */
import { meter } from './metering.ts'

/** A literal path, because bundlers find assets only this way. In Node it is the file itself. */
const address = new URL(
  '../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
  import.meta.url,
)

let engine: Promise<WebAssembly.Module> | null = null

/** Throws an Error if the binary cannot be read. The next call tries again: a failed download may succeed later. */
export function loadEngine(): Promise<WebAssembly.Module> {
  engine ??= compiled().catch((error: unknown) => {
    engine = null
    throw error
  })
  return engine
}

async function compiled(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(meter(await readEngine()))
}

/** Gets Node's modules without an import that a browser bundler would follow. */
export async function readEngine(): Promise<Uint8Array> {
  if (typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function')
    return process.getBuiltinModule('node:fs/promises').readFile(address)
  const response = await fetch(address)
  if (!response.ok)
    throw new Error(
      `The judge's engine did not load (${response.status} for ${address.href}). Reload the page, or check that the ` +
        'build was copied whole.',
    )
  return new Uint8Array(await response.arrayBuffer())
}
