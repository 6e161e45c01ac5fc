/**
 * Cases that the released code computed. They are not part of the project: tests read `../shared/vectors` beside the repository and
 * the folder VECTORS_DIR, and are skipped without either.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'vitest'

const folders = [resolve(import.meta.dirname, '../../../shared/vectors'), process.env['VECTORS_DIR']].filter(
  (folder) => folder !== undefined && folder !== '' && existsSync(folder),
) as string[]

/** A test for each case of the files whose names start with `rlanything-` and the system. */
export function describeReleased<Case>(
  title: string,
  system: 'alfworld' | 'coding',
  check: (vector: Case) => void,
): void {
  const start = `rlanything-${system}`
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(start) && name.endsWith('.json'))
      .sort()
      .map((name) => ({ name, path: join(folder, name) })),
  )
  const cases = files.flatMap(({ name, path }) =>
    (JSON.parse(readFileSync(path, 'utf8')) as Case[]).map(
      (vector, index) => [`${name} case ${index}`, vector] as const,
    ),
  )
  const report = (what: string) => process.stdout.write(`Released-code vectors of ${system}: ${what}.\n`)
  describe(title, () => {
    if (cases.length === 0) {
      const reason = `skipped: no ${start}*.json in ../shared/vectors or VECTORS_DIR`
      report(reason)
      it.skip(reason, () => {})
    } else {
      report(`${cases.length} cases from ${files.length} file(s)`)
      it.each(cases)('%s', (_name, vector) => check(vector as Case))
    }
  })
}
