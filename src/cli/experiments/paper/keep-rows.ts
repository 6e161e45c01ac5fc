/**
 * Completes a table of which only some arms were run again (`--arm`): the other rows keep their published values. That is only done
 * where nothing that acts on them has changed: seeds, settings, held-out tasks, measures, backend, and their models. Whether the code
 * acts on them cannot be told, so the table names the commits of both, and the command says so.
 */
import { parseSettings } from '../../../method/presets.ts'
import type { ResultsFile, ResultsRow } from '../../../results/results-file.ts'
import { claimsOf } from './claims.ts'
import { actsIn } from './jobs.ts'
import { hasMeasuresOf, identityOf } from './join-results.ts'
import { cellPlaces, mapCells } from './map-cells.ts'
import { SHIPPED, startName, type TablePlan } from './plan.ts'

/** The part of a plan that needs only these arms: rows and claims of theirs, and places of a map whose arms are all among them. */
export function onlyArms(plan: TablePlan, ids: readonly string[]): TablePlan {
  const arms = plan.arms.filter(({ id }) => ids.includes(id))
  const rows = plan.rows.filter(({ arm }) => ids.includes(arm))
  const has = (id: string) => rows.some((row) => row.id === id)
  const map = plan.map?.filter(({ full, over }) => [full, ...Object.values(over)].every((id) => ids.includes(id)))
  const claims = plan.claims.filter(({ row, than }) => has(row) && has(than))
  return { ...plan, arms, rows, claims, ...(map && { map }) }
}

/** Why the rows that `own` lacks cannot keep their published values; null if they can. */
export function whyNotKept(plan: TablePlan, own: ResultsFile, published: ResultsFile | null): string | null {
  if (published === null) return 'it is not published yet'
  const dependent = plan.measures.find(({ comparesArms }) => comparesArms)
  if (dependent !== undefined) return `“${dependent.label}” compares arms with one another`
  if (!hasMeasuresOf(own, published)) return 'its measures differ from the published ones'
  const parts: [string, (file: ResultsFile) => unknown][] = [
    ['its seeds', ({ seeds }) => seeds],
    ['its number of held-out tasks', ({ evaluationTasks }) => evaluationTasks],
    ['its backend', ({ backends }) => backends],
  ]
  const differing = parts.find(([, of]) => JSON.stringify(of(own)) !== JSON.stringify(of(published)))
  if (differing !== undefined) return `${differing[0]} differ from the published ones`
  const dropped = published.rows.find(({ id }) => !plan.rows.some((row) => row.id === id))
  if (dropped !== undefined) {
    return `“${dropped.label}” is published and not among its rows here; those of a map need each --policy-model that they start from`
  }
  for (const { id, label, arm, isStart = false } of missingRows(plan, own)) {
    const { preset, settings, iterations, start: named } = plan.arms.find((each) => each.id === arm)!
    const start = named === SHIPPED ? undefined : named
    const row = published.rows.find((each) => each.id === id)
    const planned = { id, preset, settings, iterations: isStart ? 0 : iterations, isStart, start }
    if (row === undefined || JSON.stringify(identityOf(row)) !== JSON.stringify(identityOf(planned))) {
      return `the settings of “${label}” differ from the published ones`
    }
    const whole = parseSettings(settings, preset)
    const acts = (name: string) => (start !== undefined && name === startName(start)) || actsIn(name, whole)
    const changed = Object.entries(own.models).find(([name, hash]) => acts(name) && published.models[name] !== hash)
    if (changed !== undefined) return `${changed[0]}, which acts in “${label}”, has changed`
  }
  return null
}

/** The whole table: its own rows, and the published ones of the other arms (`whyNotKept`). */
export function keepRows(plan: TablePlan, own: ResultsFile, published: ResultsFile): ResultsFile {
  const missing = new Set(missingRows(plan, own).map(({ id }) => id))
  const rows = plan.rows.flatMap(({ id }): ResultsRow[] => {
    const row = (missing.has(id) ? published : own).rows.find((each) => each.id === id)
    return row === undefined ? [] : [row]
  })
  const kept = published.curves?.filter(({ row }) => missing.has(row)) ?? []
  return {
    ...own,
    commits: [...new Set([...published.commits, ...own.commits])],
    rows,
    claims: claimsOf(plan.claims, rows),
    ...(own.curves && { curves: [...kept, ...own.curves] }),
    ...(plan.map && { map: mapCells(cellPlaces(plan.map), rows) }),
  }
}

const missingRows = (plan: TablePlan, own: ResultsFile) =>
  plan.rows.filter(({ id }) => !own.rows.some((row) => row.id === id))
