/** Reading a wheel and making one document of a page. */
import { beforeAll, describe, expect, it } from 'vitest'
import { documentOf, pageDocument } from '../../../../src/worlds/desktop/miniwob/page-document.ts'
import { readWheel, WheelError, type Wheel } from '../../../../src/worlds/desktop/miniwob/wheel.ts'
import { CORE_FILES, pageFiles, smallWheel, wheelOf } from './small-wheel.ts'

const ADDRESS = 'http://127.0.0.1:9'
let wheel: Wheel
beforeAll(async () => {
  wheel = await readWheel(await smallWheel(ADDRESS))
})

/** The page inside the document around it, as a browser reads it. */
function inner(document: string): string {
  const [, escaped] = /srcdoc="([^"]*)"/.exec(document)!
  return escaped!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

const page = (html: string) => ({
  wheel: { ...wheel, files: new Map([...wheel.files, ['miniwob/mine.html', new TextEncoder().encode(html)]]) },
  page: { name: 'mine', path: 'miniwob/mine.html' },
})
const made = (html: string): string => {
  const { wheel, page: its } = page(html)
  return inner(pageDocument(wheel, its).document!)
}

describe('a wheel', () => {
  it('has a version and its task pages by name, without the copies of sites', async () => {
    expect(wheel.version).toBe('9.9')
    expect(wheel.pages.map(({ name }) => name)).toEqual(
      ['click-name', 'fails', 'forges', 'hangs', 'hangs-late', 'lacks', 'leaves', 'never-ends', 'reach-out', 'type-word'], // prettier-ignore
    )
    const withFlight = await readWheel(
      await wheelOf({ ...CORE_FILES, ...pageFiles(ADDRESS), 'miniwob/html/flight/AA/index.html': 'fly' }),
    )
    expect([...withFlight.files.keys()]).toEqual([...wheel.files.keys()])
  })

  it('is refused with a reason where it is another archive, has no pages or is no archive', async () => {
    const refusals: [Blob, RegExp][] = [
      [await wheelOf({ 'numpy/core.py': '' }), /no html\/core\/core\.js/],
      [await wheelOf(CORE_FILES), /no task pages/],
      [new Blob(['no archive']), /cannot be read.*not a zip archive/],
    ]
    for (const [file, why] of refusals) {
      const refused = await readWheel(file).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(WheelError)
      expect((refused as Error).message).toMatch(why)
    }
  })
})

describe('the document of a page', () => {
  it('contains what the page loads, our script before its scripts, and a policy before both', () => {
    const html = inner(documentOf(wheel, 'click-name'))
    expect(html).not.toMatch(/<script[^>]*\bsrc=|<link/)
    const order = ['<!DOCTYPE html>', "default-src 'none'", 'startEpisodeReal', 'var core =', 'function genProblem']
    const places = order.map((text) => html.indexOf(text))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  it('names the file that the wheel lacks', () => {
    const lacks = wheel.pages.find(({ name }) => name === 'lacks')!
    expect(pageDocument(wheel, lacks)).toEqual({ document: null, missing: 'core/absent.js' })
    expect(() => documentOf(wheel, 'lacks')).toThrow('no task page lacks that runs')
  })

  it('replaces pictures of the wheel by data, in styles relative to the style, and leaves other addresses', () => {
    const png = Uint8Array.of(0x89, 0x50)
    const files = new Map<string, Uint8Array>([
      ['miniwob/mine.html', new TextEncoder().encode('<link rel="stylesheet" href="../common/a/s.css"><img src="../common/x.png"><img src="https://x.invalid/x.png">')], // prettier-ignore
      ['common/a/s.css', new TextEncoder().encode('b { background: url(i/y.png) }')],
      ...(['common/x.png', 'common/a/i/y.png'] as const).map((path) => [path, png] as const),
    ])
    const html = inner(pageDocument({ ...wheel, files }, { name: 'mine', path: 'miniwob/mine.html' }).document!)
    expect(html).toContain('<img src="data:image/png;base64,iVA=">')
    expect(html).toContain('b { background: url(data:image/png;base64,iVA=) }')
    expect(html).toContain('<img src="https://x.invalid/x.png">')
  })

  it('keeps a script whole that spells the end of one, and text with $ signs', () => {
    const { wheel: with1, page: its } = page('<script src="../common/odd.js"></script>')
    const odd = `var end = "</script><!--", dollar = "$& $1 $'"`
    const files = new Map([...with1.files, ['common/odd.js', new TextEncoder().encode(odd)]])
    const html = inner(pageDocument({ ...with1, files }, its).document!)
    expect(html).toContain(`var end = "<\\/script><\\!--", dollar = "$& $1 $'"`)
  })

  it('keeps the doctype first where there is one, and adds none', () => {
    expect(made('<!DOCTYPE html><html><head></head></html>')).toMatch(/^<!DOCTYPE html><html><head><meta charset/)
    expect(made('<html><body>old</body></html>')).toMatch(/^<html><meta charset/)
    expect(made('old')).toMatch(/^<meta charset/)
  })
})
