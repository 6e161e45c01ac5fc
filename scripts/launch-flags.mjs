/** Flags for every Chromium that the project launches: no sandbox for root, who cannot have one, and no traffic of the browser's own. */
export function launchFlags({ isRoot = process.getuid?.() === 0 } = {}) {
  return [
    ...(isRoot ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-dev-shm-usage',
  ]
}

/**
 * An option of Dawn, the browser's and Node's WebGPU: kernels clear their workgroup memory in a loop. SwiftShader's own way writes out
 * every number, and takes five times as long to compile a matrix product.
 */
export const SOFTWARE_DAWN_OPTION = 'disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'

/** Flags with which Chromium computes WebGPU on the processor, with SwiftShader. */
export const SOFTWARE_ADAPTER_FLAGS = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
  `--${SOFTWARE_DAWN_OPTION}`,
]
