import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { DraftSettings } from '../../../src/playground/state/draft-settings.svelte.ts'

describe('settings made by hand', () => {
  it('are restored after a preset replaced them, and the preset after that', () => {
    const draft = new DraftSettings()
    expect(draft.replaced).toBeNull()
    draft.set('lambda', 3)
    draft.set('groupSize', 4)
    const own = draft.content
    draft.choosePreset('household+policy-only')
    expect(draft.liveValues).toMatchObject({ lambda: 1, groupSize: 8, trainReward: false })
    expect(draft.replaced).toEqual(own)
    draft.restore()
    expect(draft.liveValues).toMatchObject({ lambda: 3, groupSize: 4, trainReward: true })
    expect(draft.content).toEqual(own)
    expect(draft.replaced, 'a preset is chosen again, not restored').toBeNull()
  })

  it('are restored after a link, with iterations and backend', () => {
    const draft = new DraftSettings()
    draft.set('lambda', 2)
    draft.chooseIterations(12)
    draft.follow({ preset: 'coding', settings: presetSettings('coding'), backend: 'cpu', iterations: 40 })
    expect(draft.replaced).toMatchObject({ preset: 'household', iterations: 12, backend: 'auto' })
    draft.set('lambda', 0)
    const ofLink = draft.content
    draft.restore()
    expect(draft.values.lambda).toBe(2)
    expect(draft.iterations).toBe(12)
    expect(draft.replaced, 'later changes are restored as well').toEqual(ofLink)
  })

  it('are restored after several presets and worlds', () => {
    const draft = new DraftSettings()
    draft.set('lambda', 3)
    const own = draft.content
    draft.choosePreset('coding')
    draft.choosePreset('desktop')
    expect(draft.replaced).toEqual(own)
    draft.restore()
    expect([draft.content, draft.replaced]).toEqual([own, null])
  })

  it('are not lost to equal settings', () => {
    const draft = new DraftSettings()
    draft.set('lambda', 2)
    draft.choosePreset('coding')
    draft.choosePreset('coding')
    expect(draft.replaced?.settings.lambda).toBe(2)
    draft.set('lambda', 0)
    draft.adopt(draft.preset, draft.values)
    expect(draft.replaced?.settings.lambda).toBe(2)
  })
})
