import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/method/turns.ts'

describe('turns', () => {
  it('start a job when the ones before it have settled, and return what it returns', async () => {
    const turns = new Turns()
    let finish = (_result: string) => {}
    const first = new Promise<string>((resolve) => (finish = resolve))
    const started: string[] = []
    const results = ['a', 'b', 'c'].map((name) =>
      turns.take(async () => {
        started.push(name)
        return name === 'a' ? first : name
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(started).toEqual(['a'])
    finish('first')
    expect(await Promise.all(results)).toEqual(['first', 'b', 'c'])
    expect(started).toEqual(['a', 'b', 'c'])
  })

  it('continue after a job that fails, whose error its caller gets alone', async () => {
    const turns = new Turns()
    const failed = turns.take(() => Promise.reject(new Error('broken')))
    const next = turns.take(async () => 'next')
    await expect(failed).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })
})
