import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { webGpuObstacleInNode } from '../../../src/engines/backends/node-graphics.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'graphics-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** A probe that reports its process and then runs some code. */
function probe(code: string): { program: URL; pid: string } {
  const [program, pid] = [join(folder, 'probe.mjs'), join(folder, 'pid')]
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(pid)}, String(process.pid))\n${code}`,
  )
  return { program: pathToFileURL(program), pid }
}

it('takes a graphics driver that hangs for none, and ends its process', async () => {
  const { program, pid } = probe('setInterval(() => {}, 1000)')
  const found = webGpuObstacleInNode({ program, longestMs: 3000 })
  await vi.waitFor(() => expect(existsSync(pid)).toBe(true), { timeout: 3000 })
  expect(await found).toBe('The graphics driver did not answer within 3 seconds, so it is not used.')
  const running = Number(readFileSync(pid, 'utf8'))
  await vi.waitFor(() => expect(() => process.kill(running, 0)).toThrow())
})

it('passes on what the driver answers, and that it ended the process', async () => {
  expect(await webGpuObstacleInNode(probe('process.send(null)'))).toBeNull()
  expect(await webGpuObstacleInNode(probe('process.exit(3)'))).toContain('exit code 3')
})
