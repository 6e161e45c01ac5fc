/** Observations last, and damaged storage does no harm. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseLearned, type Learned } from '../../../../src/playground/views/learn/learned.ts'
import { Lessons } from '../../../../src/playground/views/learn/lessons.svelte.ts'

const KEY = 'playground.lessons'
const learned = (change: Partial<Learned> = {}): Learned => ({
  evidence: '3 of 4 verdicts',
  when: 1_790_000_000_000,
  runId: 'run-1',
  iteration: 4,
  ...change,
})

/** A stand-in for the browser's storage. */
function storage(content: Record<string, string> = {}): Storage {
  const map = new Map(Object.entries(content))
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
  } as unknown as Storage
}

afterEach(() => vi.unstubAllGlobals())

describe('learned lessons', () => {
  it('last beyond the visit, with time and run, and keep the first observation', () => {
    vi.stubGlobal('localStorage', storage())
    const visit = new Lessons()
    visit.keep('lambda', learned())
    visit.keep('lambda', learned({ evidence: 'something later', runId: 'run-2' }))
    expect(new Lessons().learned).toEqual({ lambda: learned() })
    new Lessons().forget()
    expect(new Lessons().learned).toEqual({})
  })

  it('of two tabs are merged', () => {
    vi.stubGlobal('localStorage', storage())
    const [one, other] = [new Lessons(), new Lessons()]
    one.keep('lambda', learned())
    other.keep('lies', learned({ runId: 'run-2' }))
    expect(Object.keys(new Lessons().learned).sort()).toEqual(['lambda', 'lies'])
  })

  it('are skipped individually when damaged', () => {
    const stored = JSON.stringify({ lambda: learned(), lies: { ...learned(), when: 'yesterday' }, sparse: null })
    expect(parseLearned(stored)).toEqual({ lambda: learned() })
    for (const text of [null, '', '{', '[1]', 'null', '"lambda"', '7']) expect(parseLearned(text)).toEqual({})
    fc.assert(fc.property(fc.json(), (text) => Object.values(parseLearned(text)).every(({ when }) => when >= 0)))
  })

  it('last for the visit if the browser stores nothing', () => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse })
    const visit = new Lessons()
    visit.keep('lambda', learned())
    expect(visit.learned).toEqual({ lambda: learned() })
    visit.forget()
    expect(visit.learned).toEqual({})
  })
})

describe('a lesson in a link', () => {
  it('opens by its name; an unknown name gets a message with the known ones', async () => {
    vi.stubGlobal('localStorage', storage({ [KEY]: '{}' }))
    const lessons = new Lessons()
    expect(await lessons.openNamed('lambda')).toBeNull()
    expect(lessons.openId).toBe('lambda')
    expect(await lessons.openNamed('nonsense')).toMatch(/“nonsense”.*under Learn: sparse, lambda, .*lies/)
    expect(lessons.openId).toBe('lambda')
  })
})
