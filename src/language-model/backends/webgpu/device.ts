/** Features that our kernels use where a device has them, and those that TensorFlow.js uses. */
const WANTED_FEATURES = ['subgroups', 'timestamp-query', 'bgra8unorm-storage'] as const satisfies GPUFeatureName[]

/** What TensorFlow.js asks for: as much as the adapter has. */
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
  /** Browsers of 2024 do not tell it of a device that is open. */
  adapterInfo: GPUAdapterInfo | undefined
}

/** A device that another program has opened, with the features and limits that it asked for. */
export function adoptDevice(device: GPUDevice): OpenedDevice {
  return { device, adapterInfo: device.adapterInfo }
}

/** Opens the device that TensorFlow.js would open, and asks for subgroups besides, which a device has only if asked for at birth. */
export async function openDevice(): Promise<OpenedDevice> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) throw new Error('WebGPU offers no graphics adapter.')
  const device = await adapter.requestDevice({
    requiredFeatures: WANTED_FEATURES.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(WANTED_LIMITS.map((limit) => [limit, adapter.limits[limit]])),
  })
  return { device, adapterInfo: adapter.info }
}
