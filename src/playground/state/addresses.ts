/** Complete addresses to hand on: of a step, of a moment of the first screen, and of a lesson. */
import { presetSettings } from '../../method/presets.ts'
import type { World } from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'
import { DEFAULT_ITERATIONS, type Configuration } from '../run/configuration.ts'
import { writeSpot } from '../run/spot.ts'
import type { Citation } from './citation.ts'
import { writeLink, type Hideable } from './link.ts'
import { isDefault, type LinkedMoment } from './page-link.svelte.ts'
import { addressOf, FIRST_VIEW } from './views.ts'

/** Of a step of the first screen's episode under a λ. */
export async function addressOfMoment({ spot, lambda }: LinkedMoment, world: World): Promise<string> {
  const link = await writeLink(ownContent(world, lambda))
  return complete(addressOf(FIRST_VIEW, link, { at: writeSpot(spot) }))
}

/**
 * Of a step in the shipped run of a world or in a kept run, independent of the controls. A `lambda` that is tried on the shipped
 * run is tried where the link is opened, too.
 */
export async function addressOfStep({ at, run }: Citation, world: World, lambda?: number): Promise<string> {
  const base = ownContent(world, lambda)
  const link = run !== undefined || isDefault(base) ? '' : await writeLink(base)
  return complete(addressOf('episodes', link, { at, ...(run !== undefined && { run }) }))
}

/** Of a lesson, with its settings and without the parts that it does not need. */
export async function addressOfLesson(
  lesson: string,
  content: Configuration,
  hidden: readonly Hideable[],
): Promise<string> {
  return complete(addressOf('learn', await writeLink(content, hidden), { lesson }))
}

const complete = (address: string): string => location.href.replace(/#.*$/s, '') + address

/** A world's own settings, as in its shipped run, with another λ. */
function ownContent(world: World, lambda?: number): Configuration {
  const preset = WORLDS[world].presets.own
  const settings = presetSettings(preset)
  return {
    preset,
    settings: lambda === undefined ? settings : { ...settings, lambda },
    backend: 'auto',
    iterations: DEFAULT_ITERATIONS,
  }
}
