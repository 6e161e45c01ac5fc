import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal } from '../scripts/lint/floors.mjs'

const ROOT = join(import.meta.dirname, '..')
const FILES = ['src', 'workers', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.(ts|svelte|mjs)$/u.test(name)),
)

/** Relative paths in `from '…'`, `import '…'` and `import('…')`, type imports included. */
const IMPORT = /\b(?:from|import)\s*\(?\s*(?:\/\*.*?\*\/\s*)?['"](\.[^'"?]+)/gu

const imports = new Map(
  FILES.map((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    const targets = Array.from(source.matchAll(IMPORT), ([, path]) =>
      normalize(join(dirname(file), path!)).replaceAll('\\', '/'),
    )
    return [file, [...new Set(targets)]]
  }),
)

/** The shortest way from a file back to itself; null where there is none. */
function circleThrough(file: string): string[] | null {
  const reached = new Map<string, string | null>([[file, null]])
  for (const here of reached.keys()) {
    for (const next of imports.get(here) ?? []) {
      if (next === file) {
        const circle = [file]
        for (let step: string | null = here; step !== null; step = reached.get(step) ?? null) circle.unshift(step)
        return circle
      }
      if (!reached.has(next)) reached.set(next, here)
    }
  }
  return null
}

describe('imports', () => {
  it('find every file that they name', () => {
    const known = new Set(FILES)
    const missing = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => /\.(ts|svelte)$/u.test(target) && !known.has(target)).map((to) => `${file} -> ${to}`),
    )
    expect(missing.filter((line) => !line.includes('node_modules'))).toEqual([])
    expect(imports.get('src/method/loop.ts')).toContain('src/method/settings.ts')
  })

  it('form no circle', () => {
    const seen = new Set<string>()
    const circles: string[] = []
    for (const file of FILES) {
      if (seen.has(file)) continue
      const circle = circleThrough(file)
      circle?.forEach((each) => seen.add(each))
      if (circle) circles.push(circle.join(' -> '))
    }
    expect(circles).toEqual([])
  })

  it('go one way, as the table of floors says', () => {
    const refused = [...imports].flatMap(([from, targets]) =>
      targets.flatMap((to) => {
        const why = refusal(from, to)
        return why === null ? [] : [`${from} -> ${to}: ${why}`]
      }),
    )
    expect(refused).toEqual([])
  })
})
