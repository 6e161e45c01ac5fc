/**
 * How to get WebGPU in your browser. Without it the page computes on the CPU, which is only slower.
 * Versions: https://github.com/gpuweb/gpuweb/wiki/Implementation-Status
 */
type BrowserName = 'Firefox' | 'Safari' | 'Edge' | 'Chrome' | 'another'

const ON_CHROMIUM = (name: string, inside: string) => [
  `${name} has WebGPU from version 113 on (Android: 121). Update it if yours is older.`,
  `Under ${inside}://settings/system, switch “Use graphics acceleration when available” on; ${inside}://gpu says what is wrong with the graphics driver.`,
  `On Linux it may have to be asked for: ${inside}://flags/#enable-unsafe-webgpu and ${inside}://flags/#enable-vulkan.`,
]

const ADVICE: Readonly<Record<BrowserName, readonly string[]>> = {
  Chrome: ON_CHROMIUM('Chrome', 'chrome'),
  Edge: ON_CHROMIUM('Edge', 'edge'),
  Firefox: [
    'Firefox has WebGPU from version 141 on Windows and from 145 on Macs with Apple silicon. Update it if yours is older.',
    'Elsewhere it can be tried: set dom.webgpu.enabled to true in about:config and restart Firefox.',
  ],
  Safari: [
    'Safari has WebGPU from version 26 on, with macOS 26, iOS 26 and iPadOS 26. Update the system if yours is older.',
    'Safari 18 has it behind a switch: Settings, Advanced, Show features for web developers; then Develop, Feature Flags, WebGPU.',
  ],
  another: ['Chrome and Edge 113, Firefox 141 and Safari 26, or newer ones, have WebGPU on most machines.'],
}

/** Other browsers on iOS are Safari inside; Edge names Chrome, and Chrome names Safari. */
export function browserOf(userAgent: string): BrowserName {
  if (/iPhone|iPad/.test(userAgent)) return 'Safari'
  if (/Firefox\//.test(userAgent)) return 'Firefox'
  if (/Edg\//.test(userAgent)) return 'Edge'
  if (/Chrom(e|ium)\//.test(userAgent)) return 'Chrome'
  return /Safari\//.test(userAgent) ? 'Safari' : 'another'
}

/** Things to try, one or two sentences each. */
export function webGpuAdvice(userAgent: string, isSecure: boolean): readonly string[] {
  if (!isSecure)
    return ['Browsers give WebGPU only to pages on https or on localhost. Open this page at such an address.']
  return ADVICE[browserOf(userAgent)]
}
