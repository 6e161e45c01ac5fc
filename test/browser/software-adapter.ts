/** Flags with which Chromium computes WebGPU on the processor. */
export const SOFTWARE_ADAPTER = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
]
