/** Help for browsers without WebGPU, selected by real user agents. */
import { describe, expect, it } from 'vitest'
import { browserOf, webGpuAdvice } from '../../../../src/playground/shell/settings/webgpu-help.ts'

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit'
const AGENTS = {
  chrome: `${MAC}/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`,
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  safari: `${MAC}/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
  chromeOnIos:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1',
}

describe('help without WebGPU', () => {
  it('is for your browser, not for one whose name it uses', () => {
    expect(browserOf(AGENTS.chrome)).toBe('Chrome')
    expect(browserOf(AGENTS.edge)).toBe('Edge')
    expect(browserOf(AGENTS.firefox)).toBe('Firefox')
    expect(browserOf(AGENTS.safari)).toBe('Safari')
    expect(browserOf(AGENTS.chromeOnIos)).toBe('Safari')
    expect(browserOf('Lynx/2.9')).toBe('another')
  })

  it('names that browser’s own pages', () => {
    expect(webGpuAdvice(AGENTS.edge, true).join(' ')).toContain('edge://gpu')
    expect(webGpuAdvice(AGENTS.chrome, true).join(' ')).toContain('chrome://flags/#enable-unsafe-webgpu')
    expect(webGpuAdvice(AGENTS.firefox, true).join(' ')).toContain('dom.webgpu.enabled')
  })

  it('first names an insecure address, which no browser can change', () => {
    expect(webGpuAdvice(AGENTS.chrome, false)).toEqual([expect.stringContaining('https')])
  })
})
