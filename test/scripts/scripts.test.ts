import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBrowser, usualPlaces } from '../../scripts/browser.mjs'
import { installState, isNodeSupported } from '../../scripts/ensure.mjs'
import { launchFlags } from '../../scripts/launch-flags.mjs'
import { addressLines, buildIfStale, isBuildStale, parseStartArguments } from '../../scripts/start.mjs'
import { closingLines, countReport, parseTestArguments, runtimeFiles, runtimeGroups } from '../../scripts/test.mjs'

describe('npm test', () => {
  it('runs every part unless some are named, and slow files only with --all', () => {
    expect(parseTestArguments([])).toEqual({ parts: ['checks', 'unit', 'browser'], isAll: false })
    const parts = ['unit', 'browser']
    expect(parseTestArguments(['--only', 'browser', '--only', 'unit'])).toEqual({ parts, isAll: false })
    expect(parseTestArguments(['--all', '--only', 'unit'])).toEqual({ parts: ['unit'], isAll: true })
  })

  it('names the valid arguments when one is wrong', () => {
    expect(parseTestArguments(['--fast'])).toEqual({ error: expect.stringContaining('checks|unit|browser') as string })
    expect(parseTestArguments(['--only', 'pages'])).toEqual({ error: expect.stringContaining('"pages"') as string })
    expect(parseTestArguments(['--only'])).toHaveProperty('error')
  })

  it('runs every file of the browser that is no walk through the views once, in groups that grow smaller', () => {
    const files = runtimeFiles(true)
    expect(files).toContain('test/browser/webgpu.slow.test.ts')
    expect(files.filter((file) => /\/page|(?<!\.test\.ts)$/.test(file))).toEqual([])
    expect(runtimeFiles(false)).toEqual(files.filter((file) => !file.endsWith('.slow.test.ts')))
    expect(runtimeGroups(files).flat().sort()).toEqual(files.toSorted())
    expect(runtimeGroups([])).toEqual([])
    // Unknown files, which are all as long.
    const sizes = runtimeGroups(Array.from({ length: 64 }, (_, i) => `${i}.test.ts`)).map(({ length }) => length)
    expect(sizes.slice(0, 4)).toEqual([16, 12, 9, 7])
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  })

  it('closes with what was skipped and what failed, then the counts, and skipped only if some were', () => {
    expect(closingLines({ passed: 412, failed: 0, skips: [], failures: [] })).toBe('412 passed, 0 failed\n')
    const two = closingLines({
      passed: 1,
      failed: 2,
      skips: ['b.test.ts: no WebKit'],
      failures: ['a.test.ts: adds', 'eslint'],
    })
    expect(two).toBe(
      'SKIPPED b.test.ts: no WebKit\nFAILED a.test.ts: adds\nFAILED eslint\n1 passed, 2 failed, 1 skipped\n',
    )
  })

  it('names each skipped test, and each failed one with the first line of its error', () => {
    const failed = { fullName: 'sums adds', status: 'failed', failureMessages: ['expected 3 to be 4\n    at sum'] }
    const left = { fullName: 'sums in WebKit (skipped: no WebKit here)', status: 'skipped' }
    const name = resolve('test/sum.test.ts')
    const file = { name, status: 'failed', message: '', assertionResults: [failed, { status: 'passed' }, left] }
    const counts = countReport(reportOf([file], 1), 1)
    expect(counts).toEqual({
      passed: 1,
      failed: 1,
      skips: ['test/sum.test.ts: sums in WebKit (skipped: no WebKit here)'],
      failures: ['test/sum.test.ts: sums adds: expected 3 to be 4'],
    })
  })

  it('counts a file that does not load, and a run that ends badly, as failures', () => {
    expect(countReport(reportOf([], 3), 0)).toEqual({ passed: 3, failed: 0, skips: [], failures: [] })
    expect(countReport(reportOf([], 3), 1).failures).toEqual(['every test passed, exit code 1'])
    expect(countReport(null, 0).failed).toBe(1)
    const notLoaded = { name: resolve('a.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] }
    expect(countReport(reportOf([notLoaded], 3), 1).failures).toEqual(['a.test.ts: no such module'])
  })
})

/** A report of vitest. */
function reportOf(testResults: readonly object[], numPassedTests: number) {
  return { numPassedTests, testResults }
}

describe('npm start', () => {
  it('reads a port and a host, and says what is wrong with others', () => {
    expect(parseStartArguments([])).toEqual({ port: 4173, host: 'localhost' })
    expect(parseStartArguments(['--port', '8080', '--host', '0.0.0.0'])).toEqual({ port: 8080, host: '0.0.0.0' })
    for (const bad of [['--port', 'x'], ['--port', '70000'], ['--port'], ['--host'], ['--open']]) {
      expect(parseStartArguments(bad)).toHaveProperty('error')
    }
  })

  it('prints every address at which the page can be reached', () => {
    const local = ['http://localhost:4173/']
    expect(addressLines({ local, network: [] })).toEqual(['RLAnything Playground: http://localhost:4173/'])
    const all = addressLines({ local, network: ['http://192.0.2.7:4173/', 'http://198.51.100.4:4173/'] }).join('\n')
    expect(all).toContain('From other machines: http://192.0.2.7:4173/\nFrom other machines: http://198.51.100.4:4173/')
    expect(all).toContain('https')
    expect(addressLines({ local: [], network: ['http://192.0.2.7:4173/'] })[0]).toContain('http://192.0.2.7:4173/')
  })
})

describe('what is out of date', () => {
  let folder: string
  const write = (name: string, seconds: number, text = '') => {
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), seconds, seconds)
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'scripts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('an installation, when it is missing, half done or older than the lock file', () => {
    write('package-lock.json', 2000)
    expect(installState(folder)).toBe('missing')
    mkdirSync(join(folder, 'node_modules'))
    expect(installState(folder)).toBe('missing')
    write('node_modules/.package-lock.json', 1000)
    expect(installState(folder)).toBe('stale')
    write('node_modules/.package-lock.json', 3000)
    expect(installState(folder)).toBe('fresh')
  })

  it('an installation, when its lock file was unpacked over with one of an earlier time', () => {
    write('package-lock.json', 1000, 'new')
    mkdirSync(join(folder, 'node_modules'))
    write('node_modules/.package-lock.json', 3000)
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
    write('node_modules/.installed-lock', 3000, hashOf('old'))
    expect(installState(folder)).toBe('stale')
    write('node_modules/.installed-lock', 3000, hashOf('new'))
    expect(installState(folder)).toBe('fresh')
  })

  describe('a build', () => {
    const built = () => write('dist/index.html', 5000)
    beforeEach(() => {
      mkdirSync(join(folder, 'dist'))
      mkdirSync(join(folder, 'src', 'deep'), { recursive: true })
      write('src/deep/file.ts', 1000)
      buildIfStale(folder, built)
    })

    it('is fresh once it is complete', () => {
      expect(isBuildStale(folder)).toBe(false)
      buildIfStale(folder, () => expect.unreachable())
    })

    it('is stale after any change of its sources, also to files of an earlier time', () => {
      write('src/deep/file.ts', 500)
      expect(isBuildStale(folder)).toBe(true)
      buildIfStale(folder, built)
      expect(isBuildStale(folder)).toBe(false)
      rmSync(join(folder, 'src/deep/file.ts'))
      expect(isBuildStale(folder)).toBe(true)
    })

    it('is stale if a source was changed while it was made', () => {
      write('src/deep/file.ts', 1001)
      buildIfStale(folder, () => {
        write('src/deep/file.ts', 1002)
        built()
      })
      expect(isBuildStale(folder)).toBe(true)
    })

    it('is stale if another one was ended halfway, or its files are gone', () => {
      const isEnded = (): void => {
        write('dist/index.html', 6000)
        throw new Error('killed')
      }
      write('src/deep/file.ts', 1001)
      expect(() => buildIfStale(folder, isEnded)).toThrow('killed')
      expect(isBuildStale(folder)).toBe(true)
      write('src/deep/file.ts', 1000)
      expect(isBuildStale(folder)).toBe(true)
      rmSync(join(folder, 'dist/index.html'))
      expect(isBuildStale(folder)).toBe(true)
    })
  })
})

it('only versions of Node are supported that the build and the linter support', () => {
  const isSupported = ['18.20.0', '20.18.3', '20.19.0', '21.7.3', '22.12.0', '22.13.0', '23.0.0', '24.1.0'].filter(
    isNodeSupported,
  )
  expect(isSupported).toEqual(['20.19.0', '22.13.0', '23.0.0', '24.1.0'])
})

describe('the browser of the page tests', () => {
  it('is the one that CHROMIUM_PATH names, and a wrong name is an error', () => {
    expect(findBrowser({ CHROMIUM_PATH: '/x/chrome' }, () => true)).toBe('/x/chrome')
    expect(() => findBrowser({ CHROMIUM_PATH: '/x/chrome' }, () => false)).toThrow('/x/chrome')
  })

  it('is Debian’s binary rather than its wrapper script', () => {
    const places = usualPlaces('linux', {})
    expect(places.indexOf('/usr/lib/chromium/chromium')).toBeLessThan(places.indexOf('/usr/bin/chromium'))
  })

  it('has a sandbox unless it is started by root', () => {
    expect(launchFlags({ isRoot: true })).toContain('--no-sandbox')
    expect(launchFlags({ isRoot: false })).not.toContain('--no-sandbox')
  })
})
