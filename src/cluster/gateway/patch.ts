/**
 * Puts the patched lines (released/patch-points.ts) into a checkout of the release, or reports where the checkout differs from the
 * expected one. Nothing is written unless every line of a system is either the released or the patched one.
 */
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PatchState, ReleasedSystem } from '../protocol.ts'
import { PATCH_POINTS, type PatchPoint } from '../released/patch-points.ts'
import { SYSTEMS } from '../released/systems.ts'
import { LIVE_MODULE, LIVE_MODULE_FOLDERS, LIVE_MODULE_NAME } from './live-module.ts'
import { GatewayProblem } from './problem.ts'
import { errorText } from '../../threads/error-text.ts'

/** The state of a checkout, without changing it. */
export function patchState(checkout: string, system: ReleasedSystem): PatchState {
  const parameters = [...SYSTEMS[system].liveParameters]
  try {
    const lines = linesOf(checkout, system)
    const isPatched = lines.every(({ point, text }) => text === point.patched) && hasModules(checkout)
    return { isPatched, parameters, problem: null }
  } catch (error) {
    return { isPatched: false, parameters: [], problem: errorText(error) }
  }
}

/** Throws GatewayProblem with the file and the line where the checkout differs. */
export function applyPatch(checkout: string, system: ReleasedSystem): void {
  const lines = linesOf(checkout, system)
  // The module comes first: a patched line would fail without it.
  for (const folder of LIVE_MODULE_FOLDERS) replaceFile(join(checkout, folder, LIVE_MODULE_NAME), LIVE_MODULE, 0o644)
  rewrite(checkout, lines, (point) => point.patched)
}

/** Restores the released lines. */
export function revertPatch(checkout: string, system: ReleasedSystem): void {
  rewrite(checkout, linesOf(checkout, system), (point) => point.released)
}

interface FoundLine {
  point: PatchPoint
  text: string
}

function linesOf(checkout: string, system: ReleasedSystem): FoundLine[] {
  const files = new Map<string, string[]>()
  return PATCH_POINTS[system].map((point) => {
    let lines = files.get(point.file)
    if (lines === undefined) {
      lines = readLines(checkout, point.file)
      files.set(point.file, lines)
    }
    const text = (lines[point.line - 1] ?? '').replace(/\r$/, '')
    if (text !== point.released && text !== point.patched) {
      throw new GatewayProblem(409, {
        what: `${point.file}, line ${point.line}, is not the expected line.`,
        why: `It should be "${point.released.trim()}", where the release fixes ${point.parameters.join(' and ')}, but is "${text.trim().slice(0, 200)}".`,
        remedy: 'Check out commit 1fe5dbd of Gen-Verse/Open-AgentRL, or restore this line.',
      })
    }
    return { point, text }
  })
}

function readLines(checkout: string, file: string): string[] {
  try {
    return readFileSync(join(checkout, file), 'utf8').split('\n')
  } catch (cause) {
    throw new GatewayProblem(
      409,
      {
        what: `${file} cannot be read in the checkout of the release.`,
        why: (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'It does not exist.' : errorText(cause),
        remedy: 'Set "checkout" in the cluster file to the root of Open-AgentRL.',
      },
      { cause },
    )
  }
}

function rewrite(checkout: string, found: readonly FoundLine[], lineOf: (point: PatchPoint) => string): void {
  for (const file of new Set(found.map(({ point }) => point.file))) {
    const lines = readLines(checkout, file)
    let isChanged = false
    for (const { point } of found.filter(({ point }) => point.file === file)) {
      const ending = lines[point.line - 1]?.endsWith('\r') ? '\r' : ''
      const line = lineOf(point) + ending
      if (lines[point.line - 1] === line) continue
      lines[point.line - 1] = line
      isChanged = true
    }
    const path = join(checkout, file)
    if (isChanged) replaceFile(path, lines.join('\n'), statSync(path).mode)
  }
}

function hasModules(checkout: string): boolean {
  return LIVE_MODULE_FOLDERS.every((folder) => {
    try {
      return readFileSync(join(checkout, folder, LIVE_MODULE_NAME), 'utf8') === LIVE_MODULE
    } catch {
      return false
    }
  })
}

/** Replaces a file in one step, because a stage of a run may be reading it. */
export function replaceFile(path: string, text: string, mode: number): void {
  const half = `${path}.${process.pid}.half`
  writeFileSync(half, text, { mode })
  chmodSync(half, mode & 0o7777)
  renameSync(half, path)
}
