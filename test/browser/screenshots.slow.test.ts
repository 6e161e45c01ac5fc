/** `npm run screenshots`, for one view. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeScreenshots } from '../../src/cli/screenshots/take.ts'

it('draws a view of a world as it is, with everything open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'screenshots-'))
  try {
    const what = { views: ['tasks'], worlds: ['coding'], looks: ['narrow-dark'] } as const
    const plan = { folder, ...what, isUnfolded: true, pauseMs: 100 }
    const files: string[] = []
    await takeScreenshots(plan, (file) => void files.push(file))
    expect(files).toEqual([join(folder, 'coding-tasks-narrow-dark-unfolded.png')])
    const png = await readFile(files[0]!)
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
    expect(width).toBe(390)
    expect(height).toBeGreaterThan(844)
    await expect(takeScreenshots({ ...plan, views: ['nonsense'] }, () => {})).rejects.toThrow(
      '--views must be some of start, loop, episodes,',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
