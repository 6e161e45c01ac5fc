import { describe, expect, it } from 'vitest'
import { hostOf, HostMessages } from '../../../src/playground/shell/host-messages.ts'

const seen = (evidence: string) => ({ evidence, when: 1, runId: 'r', iteration: 3 })

function host() {
  const sent: [unknown, unknown][] = []
  const postMessage = (message: unknown, origin: unknown) => sent.push([message, origin])
  return { sent, window: { postMessage } as unknown as Window }
}

describe('messages to the page around', () => {
  it('go to the origin that the address names, to any without a name, and nowhere without ?embed', () => {
    expect(hostOf('?embed=https://course.example/unit/3')).toBe('https://course.example')
    expect(hostOf('?a=b&embed')).toBe('*')
    expect(hostOf('?a=b')).toBeNull()
    expect(hostOf('?embed=nonsense')).toBeNull()
  })

  it('say that the page is ready, each new observation once, and which exercises are passed', () => {
    const { sent, window } = host()
    const messages = new HostMessages('https://course.example', window, { before: seen('earlier visit') })
    messages.learned({ before: seen('earlier visit') })
    expect(sent).toEqual([])
    messages.ready()
    messages.learned({ before: seen('earlier visit'), lambda: seen('3 signs changed') })
    messages.learned({ before: seen('earlier visit'), lambda: seen('3 signs changed') })
    const source = 'rlanything-playground'
    expect(sent).toEqual(
      [
        { source, type: 'ready' },
        { source, type: 'passed', lessons: ['before'] },
        { source, type: 'observed', lesson: 'lambda', evidence: '3 signs changed', runId: 'r', iteration: 3 },
        { source, type: 'passed', lessons: ['before', 'lambda'] },
      ].map((message) => [message, 'https://course.example']),
    )
  })

  it('report an observation again once it was forgotten', () => {
    const { sent, window } = host()
    const messages = new HostMessages('*', window, {})
    messages.learned({ lambda: seen('3 signs changed') })
    messages.learned({})
    messages.learned({ lambda: seen('5 signs changed') })
    const said = sent.map(([message]) => message as { evidence?: string; lessons?: string[] })
    expect(said.map(({ evidence, lessons }) => evidence ?? lessons)).toEqual([
      ...['3 signs changed', ['lambda']],
      [],
      ...['5 signs changed', ['lambda']],
    ])
  })

  it('are not sent where nobody embeds the page', () => {
    const { sent, window } = host()
    const messages = new HostMessages(null, window, {})
    messages.ready()
    messages.learned({ lambda: seen('3 signs changed') })
    expect(sent).toEqual([])
  })
})
