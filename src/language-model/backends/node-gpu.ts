/** Adds WebGPU to Node with the npm package `webgpu`, if it is installed and Node has none. `options` are Dawn's. */
export async function provideGpuInNode(options: string[] = []): Promise<void> {
  const isNode = typeof process === 'object' && typeof process.versions?.node === 'string'
  if (!isNode || (globalThis.navigator as Navigator | undefined)?.gpu) return
  // The name is a variable so that browser bundlers ignore the package.
  const packageName = 'webgpu'
  const provider = (await import(/* @vite-ignore */ packageName).catch(() => null)) as {
    create(flags: string[]): GPU
    globals: object
  } | null
  if (!provider) return
  try {
    const gpu = provider.create(options)
    Object.assign(globalThis, provider.globals)
    // Node 20 has no navigator; later versions have one without a gpu.
    if (globalThis.navigator) Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu, configurable: true })
    else Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true })
  } catch {
    // No graphics library on this machine: the caller reports "no WebGPU".
  }
}
