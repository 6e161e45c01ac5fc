/** Makes the folder, copies it elsewhere and runs it on the software adapter that Chromium brings, in Node and in Chromium. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser } from '../../../scripts/browser.mjs'
import { folderBytes, makeGpuFolder, thisPlatform } from '../../../src/cli/bench/gpu/folder.ts'

const browser = findBrowser()
const driver = browser === null ? '' : join(dirname(browser), 'vk_swiftshader_icd.json')
const PACKED_LIMIT = 60e6

describe('the folder that measures a graphics adapter', () => {
  const place = mkdtempSync(join(tmpdir(), 'gpu-folder-test-'))
  const made = join(place, 'made')
  const carried = join(place, 'carried')

  beforeAll(async () => {
    await makeGpuFolder({ platform: thisPlatform(), hasNode: false }, made)
    cpSync(made, carried, { recursive: true })
  })
  afterAll(() => rmSync(place, { recursive: true }))

  /** Runs it outside of the repository and stops it after the output; returns the name and the text of the report. */
  async function measure(args: readonly string[], env: NodeJS.ProcessEnv, stopAfter: string) {
    const out = mkdtempSync(join(place, 'out-'))
    const child = spawn(process.execPath, ['run.mjs', '--tiny', '--out', out, ...args], {
      cwd: carried,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    let isStopped = false
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      if (isStopped || !stderr.includes(stopAfter)) return
      isStopped = true
      child.kill('SIGINT')
    })
    await once(child, 'close')
    const reports = readdirSync(out).filter((name) => name.endsWith('.md'))
    expect(reports, stderr).toHaveLength(1)
    return { name: reports[0]!, report: readFileSync(join(out, reports[0]!), 'utf8') }
  }

  it('is small enough to carry', () => {
    expect(folderBytes(made)).toBeLessThan(PACKED_LIMIT)
  })

  it('refuses a platform that Dawn is not built for', async () => {
    const folder = join(tmpdir(), 'never-made')
    await expect(makeGpuFolder({ platform: 'amiga', hasNode: false }, folder)).rejects.toThrow(
      '--platform must be one of',
    )
    expect(existsSync(folder)).toBe(false)
  })

  it.skipIf(!existsSync(driver))('runs in Node, and reports what it has when it is stopped', async () => {
    // All results have been checked; what follows takes minutes.
    const env = { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver }
    const { name, report } = await measure([], env, '\n-- copy\n')
    expect(name).toMatch(/^gpu-swiftshader/)
    expect(report).toMatch(/^# SwiftShader/)
    expect(report).toContain('**Incomplete.** It was stopped.')
    expect(report).toMatch(/All \d+ results agree with the CPU's/)
  })

  it.skipIf(browser === null)('runs in a page of a browser, and reports what it has when it is stopped', async () => {
    const { name, report } = await measure(['--browser', browser!], {}, '\nequal: ')
    expect(name).toBe('gpu-google-swiftshader-in-chromium.md')
    expect(report).toMatch(/ Chromium \d+(\.\d+){3}, /)
    expect(report).toContain('**Incomplete.** It was stopped. It was measuring kernels.')
    expect(report).toMatch(/All \d+ results agree with the CPU's/)
  })

  it('reports that a browser ended by itself', async () => {
    // Node ends at once, because it knows no option of a browser.
    const { name, report } = await measure(['--browser', process.execPath], {}, 'never printed')
    expect(name).toBe('gpu-no-adapter-in-chromium.md')
    expect(report).toContain('**Incomplete.** The browser ended by itself (exit code ')
  })
})
