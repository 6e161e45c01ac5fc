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

  it('say that the page is ready, and each new observation once', () => {
    const { sent, window } = host()
    const messages = new HostMessages('https://course.example', window, { before: seen('earlier visit') })
    messages.ready()
    messages.learned({ before: seen('earlier visit'), lambda: seen('3 signs changed') })
    messages.learned({ lambda: seen('3 signs changed') })
    const source = 'rlanything-playground'
    expect(sent).toEqual([
      [{ source, type: 'ready' }, 'https://course.example'],
      [
        { source, type: 'observed', lesson: 'lambda', evidence: '3 signs changed', runId: 'r', iteration: 3 },
        'https://course.example',
      ],
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
