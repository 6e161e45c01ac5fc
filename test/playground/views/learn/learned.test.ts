/** What was observed in lessons lasts, and nothing that somebody or something left in the storage does harm. */
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

/** A storage like a browser's. */
function storage(content: Record<string, string> = {}): Storage {
  const map = new Map(Object.entries(content))
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
  } as unknown as Storage
}

afterEach(() => vi.unstubAllGlobals())

describe('learned lessons', () => {
  it('last beyond the visit, with when and in which run, and the first observation stays', () => {
    vi.stubGlobal('localStorage', storage())
    const visit = new Lessons()
    visit.keep('lambda', learned())
    visit.keep('lambda', learned({ evidence: 'something later', runId: 'run-2' }))
    expect(new Lessons().learned).toEqual({ lambda: learned() })
    new Lessons().forget()
    expect(new Lessons().learned).toEqual({})
  })

  it('of two tabs are kept together', () => {
    vi.stubGlobal('localStorage', storage())
    const [one, other] = [new Lessons(), new Lessons()]
    one.keep('lambda', learned())
    other.keep('lies', learned({ runId: 'run-2' }))
    expect(Object.keys(new Lessons().learned).sort()).toEqual(['lambda', 'lies'])
  })

  it('are lost alone where they are damaged', () => {
    const stored = JSON.stringify({ lambda: learned(), lies: { ...learned(), when: 'yesterday' }, sparse: null })
    expect(parseLearned(stored)).toEqual({ lambda: learned() })
    for (const text of [null, '', '{', '[1]', 'null', '"lambda"', '7']) expect(parseLearned(text)).toEqual({})
    fc.assert(fc.property(fc.json(), (text) => Object.values(parseLearned(text)).every(({ when }) => when >= 0)))
  })

  it('hold for the visit where the browser keeps nothing', () => {
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
  it('is opened by its name, and an unknown name is told with those that there are', async () => {
    vi.stubGlobal('localStorage', storage({ [KEY]: '{}' }))
    const lessons = new Lessons()
    expect(await lessons.openNamed('lambda')).toBeNull()
    expect(lessons.openId).toBe('lambda')
    expect(await lessons.openNamed('nonsense')).toMatch(
      /“nonsense”.*There are sparse, lambda, .*lies; all are under Learn/,
    )
    expect(lessons.openId).toBe('lambda')
  })
})
