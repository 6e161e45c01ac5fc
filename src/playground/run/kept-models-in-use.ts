/** Which models of a kept run the next run starts from. */
import { LEARNING_ROLES, type LearningRole } from '../../roles/learning.ts'
import type { RoleSource } from '../../roles/source.ts'

const NOUNS: Readonly<Record<LearningRole, string>> = { policy: 'policy', reward: 'reward model' }

/** "the models of iteration 4", "the policy of iteration 4"; null if the next run starts from none of the run's. */
export function keptModelsInUse(runId: string, sourceOf: (role: LearningRole) => RoleSource): string | null {
  const used = LEARNING_ROLES.flatMap((role) => {
    const iteration = iterationOf(runId, role, sourceOf(role))
    return iteration === null ? [] : [{ role, iteration }]
  })
  if (used.length === 0) return null
  if (used.length === LEARNING_ROLES.length && used.every(({ iteration }) => iteration === used[0]!.iteration))
    return `the models of iteration ${used[0]!.iteration}`
  return used.map(({ role, iteration }) => `the ${NOUNS[role]} of iteration ${iteration}`).join(' and ')
}

/** Reads the name of the folder that KeptModels.addFolders gave the model; null if the source is another. */
function iterationOf(runId: string, role: LearningRole, source: RoleSource): number | null {
  if (source.kind !== 'checkpoint') return null
  const [start, end] = [`local:${runId}-`, `-${role}`]
  if (!source.location.startsWith(start) || !source.location.endsWith(end)) return null
  const between = source.location.slice(start.length, -end.length)
  return /^\d+$/.test(between) ? Number(between) : null
}
