import { describe, expect, it, vi } from 'vitest'
import { chooseBackend, webGpuObstacle } from '../../../src/engines/backends/choice.ts'

const noObstacle = () => Promise.resolve(null)

describe('the backend of a run', () => {
  it('is the chosen one, without a measurement', async () => {
    const measure = vi.fn()
    const choice = await chooseBackend({ wish: 'webgpu', findObstacle: noObstacle, measure })
    expect(choice).toEqual({ backend: 'webgpu', why: 'You chose WebGPU.', tokensPerSecond: {} })
    expect(measure).not.toHaveBeenCalled()
  })

  it.each([
    [{ cpu: 5000, webgpu: 900 }, 'cpu'],
    [{ cpu: 5000, webgpu: 20_000 }, 'webgpu'],
  ] as const)('is the faster one if both were measured: %o', async (speeds, backend) => {
    const measure = (name: 'cpu' | 'webgpu') => Promise.resolve(speeds[name])
    const choice = await chooseBackend({ wish: 'auto', findObstacle: noObstacle, measure })
    expect(choice).toMatchObject({ backend, tokensPerSecond: speeds })
  })

  it('is the CPU if WebGPU is missing or fails, with the reason', async () => {
    const measure = vi.fn((name: string) =>
      name === 'cpu' ? Promise.resolve(5000) : Promise.reject(new Error('No device.')),
    )
    const absent = await chooseBackend({ wish: 'auto', findObstacle: () => webGpuObstacle(undefined), measure })
    expect(absent).toEqual({ backend: 'cpu', why: 'This browser has no WebGPU.', tokensPerSecond: {} })
    expect(measure).not.toHaveBeenCalled()
    const failing = await chooseBackend({ wish: 'auto', findObstacle: noObstacle, measure })
    expect(failing).toEqual({
      backend: 'cpu',
      why: 'WebGPU could not be used: No device.',
      tokensPerSecond: { cpu: 5000 },
    })
  })

  it('is not measured on a software adapter', async () => {
    const gpu = { requestAdapter: () => Promise.resolve({ info: { vendor: 'google', architecture: 'swiftshader' } }) }
    expect(await webGpuObstacle(gpu as unknown as GPU)).toContain('software')
  })
})
