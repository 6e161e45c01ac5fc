import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../src/method/presets.ts'
import type { LoggedEvent, WorldFile } from '../../src/method/events.ts'
import { RoleModelError } from '../../src/roles/error.ts'
import { folderSource, sourcesOf } from '../../src/roles/source.ts'
import { newSummary } from '../../src/runs/run-store.ts'
import { failureOf, resumeFailure } from '../../src/sessions/failures.ts'
import { resumingRequest } from '../../src/sessions/kept-request.ts'
import { settingsIn, sourcesIn } from '../../src/sessions/own-world.ts'

const settings = presetSettings('own')
const worldFile: WorldFile = {
  name: 'Numbers',
  file: 'numbers.ts',
  script: 'globalThis.ownWorld = {}',
  hash: 'a'.repeat(64),
}
const policy = folderSource('local:numbers.models/own-policy')
const reward = folderSource('local:numbers.models/own-reward')

describe('a run in a world from a file', () => {
  it('resumes with the script of its log, whatever the page has by now', () => {
    const run = { runId: 'a', preset: 'own', settings, iterations: 5 }
    const started = {
      type: 'run-started',
      seq: 0,
      models: {},
      backend: 'cpu',
      ...run,
      worldFile,
    } as unknown as LoggedEvent
    const checkpoint = { runId: 'a', iteration: 2, eventCount: 1, policy: new Uint8Array(), reward: new Uint8Array() }
    expect(resumingRequest({ summary: newSummary(run), history: [started], checkpoint }, {}).worldFile).toEqual(
      worldFile,
    )
  })

  it('needs models of its own: the refusal names the role, the command and the folder', () => {
    const refusal = () => sourcesIn({ worldFile }, settings, sourcesOf({ policy, reward }))
    expect(refusal).toThrow(RoleModelError)
    expect(refusal).toThrow(/role yet: author.*pretrain -- --world \.\/numbers\.ts.*numbers\.models/u)
  })

  it('needs no author where the world has no rewrites, and leaves tasks as they are', () => {
    const told: string[] = []
    const world = { worldFile, canRewrite: false }
    expect(sourcesIn(world, settings, sourcesOf({ policy, reward })).author).toEqual(policy)
    expect(settingsIn(world, settings, (line) => told.push(line)).adaptEnvironment).toBe(false)
    expect(told).toHaveLength(1)
    expect(settingsIn({}, settings, (line) => told.push(line))).toBe(settings)
    expect(told).toHaveLength(1)
  })

  it('that cannot resume is explained with the folder of models that it began with', () => {
    const request = { runId: 'a', preset: 'own', settings, iterations: 5 }
    const error = new Error('The checkpoint has another shape.')
    const failure = resumeFailure('The models could not be loaded.', error, { ...request, worldFile })
    expect(failure.why).toBe(error.message)
    expect(failure.remedy).toContain('If you removed them, drop that version of numbers.models')
    // It would be another run.
    expect(failure.remedy).not.toContain('Start the run again')
    expect(resumeFailure('Not loaded.', error, request)).toEqual(
      failureOf('Not loaded.', error, request, { isKept: true }),
    )
  })

  it('that breaks is explained as the fault of the file, also from another thread', () => {
    const error = Object.assign(new Error('`step` of numbers.ts failed.'), { name: 'OwnWorldError' })
    const request = { runId: 'a', preset: 'own', settings, iterations: 5 }
    const failure = failureOf('The run ended early.', error, request, { isKept: true })
    expect([failure.why, failure.remedy]).toEqual([error.message, expect.stringContaining('Correct the file')])
  })
})

it('a run in a world that ships keeps its built-in models', () => {
  const sources = sourcesOf({})
  expect(sourcesIn({}, presetSettings('household'), sources)).toBe(sources)
})
