import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PRESETS, presetSettings } from '../../../src/method/presets.ts'
import type { Settings } from '../../../src/method/settings.ts'
import type { Configuration } from '../../../src/playground/run/configuration.ts'
import { isLink, LinkError, readLink, writeLink, type Hideable } from '../../../src/playground/state/link.ts'

const content = (change: Partial<Settings> = {}, rest: Partial<Configuration> = {}): Configuration => ({
  preset: 'household',
  settings: { ...presetSettings('household'), ...change },
  backend: 'auto',
  iterations: 1000,
  ...rest,
})

const nothing = {
  lambda: null,
  content: null,
  hidden: [],
  unknown: [],
  spot: null,
  unreadable: null,
  run: null,
  lesson: null,
}

/** A link with any JSON. */
async function linkOf(json: unknown): Promise<string> {
  const stream = new Blob([typeof json === 'string' ? json : JSON.stringify(json)]).stream()
  const packed = await new Response(stream.pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer()
  return `#v1.${Buffer.from(packed).toString('base64url')}`
}

describe('a link', () => {
  it('reproduces any configuration, and the names of what to hide', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          preset: fc.constantFrom(...Object.keys(PRESETS), 'coding+policy-only'),
          seed: fc.nat({ max: 2 ** 31 - 1 }),
          lambda: fc.double({ min: 0, max: 10, noNaN: true }),
          trainReward: fc.boolean(),
          klEstimator: fc.constantFrom('k1', 'k2', 'k3'),
          backend: fc.constantFrom('auto', 'cpu', 'webgpu'),
          iterations: fc.integer({ min: 1, max: 5000 }),
          hidden: fc.uniqueArray(fc.constantFrom<Hideable>('tasks', 'runs', 'lambda', 'seed')),
        }),
        async ({ preset, backend, iterations, hidden, ...change }) => {
          const settings = { ...presetSettings(preset), ...change, lambda: change.lambda === 0 ? 0 : change.lambda }
          const written = { preset, settings, backend, iterations }
          const link = await writeLink(written, hidden)
          expect(isLink(link)).toBe(true)
          expect(link).toMatch(/^#v1\.[\w-]+(&hide=[\w,]+)?$/)
          expect(await readLink(link)).toEqual({ ...nothing, content: written, hidden })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('contains only the difference from the preset, and always the seed', async () => {
    const link = await writeLink(content({ lambda: 0.5 }))
    const packed = Buffer.from(link.slice(4), 'base64url')
    const json = await new Response(
      new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')),
    ).text()
    expect(JSON.parse(json)).toEqual({ preset: 'household', settings: { seed: 0, lambda: 0.5 } })
    expect(link.length).toBeLessThan(120)
  })

  it('reads the former name of the world, as a setting and as something to hide', async () => {
    const json = new Blob([JSON.stringify({ preset: 'household', settings: { seed: 1, setting: 'coding' } })])
    const packed = await new Response(json.stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer()
    const { content, hidden, unknown } = await readLink(`#v1.${Buffer.from(packed).toString('base64url')}&hide=setting`)
    expect(content?.settings).toEqual({ ...presetSettings('household'), seed: 1, world: 'coding' })
    expect({ hidden, unknown }).toEqual({ hidden: ['world'], unknown: [] })
  })

  it('can only hide parts, and reports unknown names', async () => {
    expect(await readLink('#hide=tasks,lambda,nonsense')).toEqual({
      ...nothing,
      hidden: ['tasks', 'lambda'],
      unknown: ['nonsense'],
    })
  })

  it('names a lesson, a step and a kept run, with or without a configuration', async () => {
    const spot = { iteration: 12, taskId: 'look-1/train-7', rollout: 1, step: 4, test: null, isOnHeads: false }
    const rest = { spot, run: 'run &1', lambda: 0.5, lesson: 'lambda', hidden: ['tasks'] }
    const fields = 'view=episodes&hide=tasks&lesson=lambda&at=12/look-1/train-7/2/5&lambda=0.5&run=run%20%261'
    expect(await readLink(`#episodes&${fields}`)).toEqual({ ...nothing, ...rest })
    expect(await readLink(`#${fields}`)).toEqual({ ...nothing, ...rest })
    const both = await readLink(`${await writeLink(content({ lambda: 2 }))}&${fields}`)
    expect(both).toEqual({ ...nothing, ...rest, content: content({ lambda: 2 }) })
    expect(await readLink('#episodes&at=x/y&run=%E0')).toEqual({ ...nothing, unreadable: 'x/y', run: '%E0' })
    expect(await readLink('#hide=tasks&hide=lambda')).toMatchObject({ hidden: ['tasks', 'lambda'] })
  })

  it('differs from the other addresses of the page', () => {
    expect(isLink('#benchmark')).toBe(false)
    expect(isLink('')).toBe(false)
    expect(isLink('#tasks&view=loop')).toBe(false)
    for (const hash of ['#v2.x', '#learn&lesson=lambda', '#at=3', '#episodes&run=run-1'])
      expect(isLink(hash)).toBe(true)
  })

  it.each([
    ['that is truncated', async () => (await writeLink(content({ lambda: 0.5 }))).slice(0, -6), 'cut short'],
    ['that is not base64', async () => '#v1.***', 'damaged'],
    ['of a later version', async () => '#v2.abcd', 'version 2'],
    ['with an unknown setting', () => linkOf({ preset: 'household', settings: { lambada: 1 } }), '"lambada"'],
    ['with a value out of range', () => linkOf({ preset: 'household', settings: { lambda: 99 } }), 'from 0 to 10'],
    ['with an unknown preset', () => linkOf({ preset: 'toaster', settings: {} }), '"toaster"'],
    ['without a preset', () => linkOf({ settings: {} }), 'no preset'],
    ['with an unknown backend', () => linkOf({ preset: 'full', settings: {}, backend: 'abacus' }), 'abacus'],
    ['with half an iteration', () => linkOf({ preset: 'full', settings: {}, iterations: 0.5 }), '0.5 iterations'],
    ['that unpacks to too much', () => linkOf(`"${'a'.repeat(200_000)}"`), 'damaged'],
    ['that is not an object', () => linkOf([1]), 'no configuration'],
  ])('%s is refused with the reason and what to do', async (_, link, why) => {
    const error: unknown = await readLink(await link()).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(LinkError)
    expect((error as LinkError).message).toContain(why)
    expect((error as LinkError).message).toContain('keeps its settings')
  })
})
