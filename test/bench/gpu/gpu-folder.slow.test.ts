/** Makes the folder, copies it elsewhere and runs it on the software adapter that Chromium brings. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBrowser } from '../../../scripts/browser.mjs'
import { folderBytes, makeGpuFolder, thisPlatform } from '../../../src/cli/bench/gpu/folder.ts'

const browser = findBrowser()
const driver = browser === null ? '' : join(dirname(browser), 'vk_swiftshader_icd.json')
const PACKED_LIMIT = 60e6

describe('the folder that measures a graphics adapter', () => {
  it('refuses a platform that Dawn is not built for', async () => {
    const folder = join(tmpdir(), 'never-made')
    await expect(makeGpuFolder({ platform: 'amiga', hasNode: false }, folder)).rejects.toThrow(
      '--platform must be one of',
    )
    expect(existsSync(folder)).toBe(false)
  })

  it.skipIf(!existsSync(driver))(
    'runs outside of the repository, and reports what it has when it is stopped',
    async () => {
      const place = mkdtempSync(join(tmpdir(), 'gpu-folder-test-'))
      try {
        const made = join(place, 'made')
        await makeGpuFolder({ platform: thisPlatform(), hasNode: false }, made)
        expect(folderBytes(made)).toBeLessThan(PACKED_LIMIT)
        const carried = join(place, 'carried')
        cpSync(made, carried, { recursive: true })
        const child = spawn(process.execPath, ['run.mjs', '--tiny', '--out', place], {
          cwd: carried,
          env: { ...process.env, VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        let stderr = ''
        let isStopped = false
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr += text
          if (isStopped || !stderr.includes('\n-- copy\n')) return
          // All results have been checked; what follows takes minutes.
          isStopped = true
          child.kill('SIGINT')
        })
        await once(child, 'close')
        const reports = readdirSync(place).filter((name) => name.endsWith('.md'))
        expect(reports, stderr).toEqual([expect.stringMatching(/^gpu-swiftshader/)])
        const report = readFileSync(join(place, reports[0]!), 'utf8')
        expect(report).toMatch(/^# SwiftShader/)
        expect(report).toContain('**Incomplete.** It was stopped.')
        expect(report).toMatch(/All \d+ results agree with the CPU's/)
      } finally {
        rmSync(place, { recursive: true })
      }
    },
  )
})
