/** Optional features that our kernels or TensorFlow.js use. */
const WANTED_FEATURES = ['subgroups', 'timestamp-query', 'bgra8unorm-storage'] as const satisfies GPUFeatureName[]

/** Limits that TensorFlow.js requests at the adapter's maximum. */
const WANTED_LIMITS = [
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupSizeX',
  'maxComputeInvocationsPerWorkgroup',
] as const satisfies (keyof GPUSupportedLimits)[]

export interface OpenedDevice {
  device: GPUDevice
  /** Browsers of 2024 do not have it for an open device. */
  adapterInfo: GPUAdapterInfo | undefined
}

/** Uses a device that another program has opened, with that program's features and limits. */
export function adoptDevice(device: GPUDevice): OpenedDevice {
  return { device, adapterInfo: device.adapterInfo }
}

/** Opens the device that TensorFlow.js would open, plus subgroups, which must be requested when a device is created. */
export async function openDevice(): Promise<OpenedDevice> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) throw new Error('WebGPU offers no graphics adapter.')
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(WANTED_LIMITS.map((limit) => [limit, adapter.limits[limit]])),
  })
  return { device, adapterInfo: adapter.info }
}
