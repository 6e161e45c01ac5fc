/** Opens the household for a run: its environment, and how its roles are addressed. */
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld, WorldRequest } from '../world.ts'
import { householdFormats } from './roles/plain-roles.ts'

type HouseholdParts = Pick<OpenedWorld, 'environment' | 'fixedTrajectories' | 'close'>

/** `openEnvironment` throws a NoGamesError where the run would draw imported games and there are none. */
export async function openHousehold(
  request: WorldRequest,
  openEnvironment: (request: WorldRequest) => Promise<HouseholdParts>,
): Promise<OpenedWorld> {
  const { dialect } = request.settings
  return {
    ...(await openEnvironment(request)),
    formatsFor: (pieces) =>
      formatsFor(pieces, householdFormats, async () => {
        const { instructAuthor, instructPolicy, instructReward } = await import('./roles/instruct-roles.ts')
        return {
          policy: (policy) => instructPolicy(policy, { dialect }),
          reward: instructReward,
          author: instructAuthor,
        }
      }),
    grammars: async () => (await import('./roles/grammars.ts')).HOUSEHOLD_GRAMMARS,
  }
}
