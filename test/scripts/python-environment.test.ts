import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { findPython, PythonMissing } from '../../scripts/python-environment.mjs'

const path = process.env['PATH'] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'path-'))
afterEach(() => {
  process.env['PATH'] = path
  rmSync(folder, { recursive: true, force: true })
})

it('says what is missing where there is no Python that will do, and how to get it', () => {
  process.env['PATH'] = folder
  expect(findPython).toThrow(PythonMissing)
  expect(findPython).toThrow(/need Python 3\.10 to 3\.13 with venv and pip: none of them is installed\.\nInstall it/)
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\necho 3 8\n', { mode: 0o755 })
  expect(findPython).toThrow(/python3 is Python 3\.8/)
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(findPython).toThrow(/python3 has no venv module .*python3-venv/)
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\necho 3 12\n', { mode: 0o755 })
  expect(findPython()).toBe('python3')
})
